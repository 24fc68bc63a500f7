"""The rules of the service: when jobs are due, how it is doing, what it leaves alone.

schedule says what is due, schedule_rows what the ledger of runs knows and when to call a person, nights the same for
a fleet. health has what is known at one moment, what of it is worth a warning, and whether the clock can be believed;
socket_requests says what the socket takes; watching, settle and edit_loops say which files wait. units and completions are the texts of
systemd units and shell completions.
"""
