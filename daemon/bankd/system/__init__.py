"""The machine: clock, sockets, processes, systemd.

child          processes, copies
clock          the clocks
command        programs of the settings, run and ended
files          bank list, mounts
manager        systemd
process        logs, memory, timer
socket_client  client's side
socket_server  daemon's socket
staged_file
"""
