"""The outside world, behind the ports: each room may use those after it.

fleet: the database of many banks. index, watching, workspace: the search index, changes by others, what a workspace
holds. korean, meaning, models: processes that analyse Korean, make sentence vectors, ask language models. storage:
the one layer that writes pages. system: clock, sockets, signals, timers, child processes, systemd.
"""
