"""The machine around bankd, in the terms of the operating system.

clock, timer, malloc, mounts: time, memory and file systems · child, shared_child, working_copy: processes of our own · command: those that the settings name
socket_server, socket_client: the daemon's socket · notify, service_manager: systemd · logging_setup, alerting: for people
banks_file: the user's list of banks · staged_file: small files, replaced whole
"""
