"""The one layer that writes under bank/, archive/ and events/.

tree keeps every path inside the workspace, staging swaps files in, transactions commits, recovery finishes. journals,
trash and events are what it writes down; log_end appends to a log, derived keeps what can be made again. files reads,
writability says what cannot be written; disk, filesystem and syscalls are the system below; lock keeps others out.
"""
