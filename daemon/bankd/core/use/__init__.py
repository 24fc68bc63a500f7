"""What was used: events of use folded into signals, and what these say of a memory. Nothing of it stands in pages.

signals folds events; strength is the policy, with all its constants.
"""
