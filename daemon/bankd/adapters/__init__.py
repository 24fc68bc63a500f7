"""The outside world, behind the ports: each room may use those after it.

index, watching, workspace: the search index, changes by others, what a workspace holds.
korean: the process that takes Korean apart. storage: the one layer that writes pages.
system: clock, sockets, signals, timers, child processes, systemd.
"""
