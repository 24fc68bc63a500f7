"""Assembly: which adapter stands for which port; nothing is decided here.

workspace opens one for a command, engine for the daemon, runner does the daemon's runs in a process of their own.
searching puts search together, asking finds who answers a query, bank_reader does for agents.
probing looks at a workspace and the computer around it, serving makes the parts of the service.
"""
