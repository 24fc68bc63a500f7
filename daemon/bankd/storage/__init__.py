"""Writes the files of a workspace so that a crash at any moment loses nothing, and cleans up after one.

tree          the workspace as a tree that no path leaves, its Markdown files at rest, the system calls that change the disk
disk          room, rights, syncs that fail, file systems that cannot exchange; derived files, made anew when damaged
journals      the redo journals, the lock of the one writer, the change of one file: staged, synced, swapped in, looked at, displaced
transactions  commits a transaction; the work of a start: unfinished transactions, pages saved by old buffers, late writes
events        what is appended to: events, replies of models, the end of a raw log
"""
