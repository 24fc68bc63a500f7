"""Assembly: which adapter stands for which port; nothing is decided here.

workspace opens one for a command, held for the daemon, runner makes the daemon's runs in a process of their own.
search puts search together by the settings; asking asks one bank from outside, banks those of the user. bank_reader,
served_hooks and brief_files serve agents; importing reads transcripts, probing looks at a workspace and the computer
around it, serving makes the parts of the service, fleet and fleet_search those of a fleet.
"""
