"""The machine around bankd: clock, signals, sockets, timers, child processes, systemd, file systems."""
