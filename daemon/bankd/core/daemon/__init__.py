"""The rules of the service: when jobs are due, how it is doing, what it leaves alone.

schedule and schedule_rows say what is due and what was missed, clock_jumps and clock_trust whether time can be believed.
health judges health_facts, metrics and alerts tell them; watching, settle and edit_loops say which files wait.
units and completions are the texts of systemd units and shell completions.
"""
