"""Use cases: each is one thing that a person or a run does with a workspace; what it needs of the outside is handed in.

archive    archive, way back
distil     asked before lock
doctor     checks, promises, status
forget     forget, purge
imports    logs from elsewhere
index      index for runs
init       new or adopted
rearrange  split, merge, move
record     runs told
review     decisions of a person
show       whence, runs, use
undo       a run taken back
units      systemd units
workspace  what cases work on
"""
