"""Writes the files of a workspace so that a crash at any moment loses nothing, and cleans up after one.

tree          the workspace as a tree that no path leaves, its Markdown files at rest, the system calls that change the disk
disk          room, rights, syncs that fail, file systems that cannot exchange
staging       the change of one file: staged, synced, swapped in, looked at
journals      the redo journals of transactions, and the lock of the one writer
transactions  commits a transaction, or finishes one that a crash interrupted
recovery      the work of a start: unfinished transactions, pages saved by old buffers, late writes
log_end       appends to the end of a raw log, or cuts a text off it
events        append-only JSON lines: events, replies of models
derived       derived files in `.bankd/`, made anew when they are damaged
"""
