"""The life of a memory, from a line of a log to the archive: decided, checked, undone. Pure.

archive     away and back
check       plans, promises
judge       same, newer, of runs
ledger      events folded
links       links of a plan
new_lines   new, edited, batches
plan        all that changes
provenance  lines and memories
report      what runs did
retain      lines to remember
retire      merging, fading out
route       page and part
undo        a run turned
use         signals, strength, fading
use_policy
"""
