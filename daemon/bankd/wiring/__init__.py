"""Assembly: which adapter stands for which port; nothing is decided here.

workspace opens one for a command, engine for the daemon, runner does the daemon's runs in a process of their own.
searching puts search together, asking finds who answers a query, change_watch tells who stays when to look again, bank_reader and brief_files do for agents.
probing looks at a workspace and the computer around it, importing at transcripts; serving makes the service's parts.
"""
