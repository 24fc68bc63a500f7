"""Which runs are due and how the daemon is doing, judged from facts. Pure.

health    facts, warnings, clock
ledger    rows of runs
schedule  which jobs are due
units     text of units
"""
