"""The machine: clock, sockets, processes, systemd.

clock          reads the clocks
socket_client  asks a daemon; imports little, since hooks use it
socket_server  the daemon's socket
child          child processes, and commands that the settings name: run, bounded, ended; the memory of a process
process        log, alerts and timer of the daemon
manager        systemd: notifications and units
files          the list of a user's banks; projects; mounts
"""
