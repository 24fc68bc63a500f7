"""Credentials in texts: found and masked. Pure.

screening  all finders together, and masks; shapes of issued keys (issued.tsv)
values     values that a text names as secrets, or that stand where a password does (given.tsv)
"""
