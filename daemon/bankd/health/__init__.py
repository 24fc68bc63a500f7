"""How bankd is doing and which runs are due, judged from facts. Pure.

health    what is known at one moment, what of it is worth a warning, whether the clock is trusted
schedule  which jobs are due; the rows of the ledger of runs, and what follows from them for each job
units     the text of systemd units
"""
