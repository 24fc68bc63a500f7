"""Assembly: which adapter stands for which port; nothing is decided here.

workspace opens one for a command, engine for the daemon, runner makes the daemon's runs in a process of their own.
searching puts search together by search_settings; asking finds who answers a query, asking_all asks several banks,
open_banks and standing_search keep banks open for the page and the finder. bank_reader, served_hooks and brief_files
serve agents; importing reads transcripts, probing looks at a workspace and the computer around it, serving makes the
parts of the service, fleet and fleet_search those of a fleet.
"""
