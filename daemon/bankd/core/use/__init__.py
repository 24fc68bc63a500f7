"""What was used: events of use folded into signals, and what these say of a memory. Nothing of it stands in pages.

signals folds events; policy has all constants with their sources; strength is how a memory fades; suppression is what being
beaten takes; associations say what belongs together.
"""
