"""The life of a memory: from a line of a log to the archive and back.

retain reads the lines of a log, collect finds the new ones, edited those that were reworded, routing and follow find their page.
events is what is remembered of them, provenance tells it; decay, retiring and archive let go, restoring brings back.
undo, reversing and turning take a run back; consolidate joins near-copies,
purge forgets for good, verify checks it all from outside.
"""
