"""Use cases: each is one thing that a person or a run does with a workspace.

What a use case needs of the outside (files, index, clock) is handed in.

    workspace  a workspace opened for one command; running a cycle; recording runs
    init       a new or adopted workspace
    waiting    what waits for a person, as cards (cards.tsv) with their decisions
    review     the decisions: inbox, near-copies, contradictions, edits
    archive    to and from the archive; what fades; forgetting a memory, purging a text
    runs       past runs: listed, shown, undone
    rearrange  splitting, merging, moving pages
    imports    conversations from elsewhere
    distil     asking a language model
    copies     export, backup and restore; whether a bank has lost anything
    show       where a memory came from; which memories were useful
    index      the search index for the length of a command, its state and repair
    units      systemd units

A workspace opened without its lock is dry: a use case then says what it would do, and writes nothing.
"""
