"""The one layer that writes under bank/, archive/ and events/.

tree keeps every path inside the workspace, staging swaps files in, transactions commits, recovery finishes. journals,
trash, events and enriched are what it writes down; segments are the files of events, packing makes old ones small;
log_end appends to a log, derived keeps what can be made again. files reads, writability says what cannot be written;
disk, filesystem and syscalls are the system below; lock keeps others out.
"""
