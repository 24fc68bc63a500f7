"""The rules of the service: when jobs are due, how it is doing, what it leaves alone.

schedule says what is due, schedule_rows what the ledger of runs knows and when to call a person, nights the same for
a fleet. clock_jumps says what happened to the clock, clock_trust whether it can be believed. health judges health_facts,
metrics renders them; socket_requests says what the socket takes; watching, settle and edit_loops say which files wait.
units and completions are the texts of systemd units and shell completions.
"""
