"""Use cases: each is one thing that a person or a run does with a workspace.

What a use case needs of the outside (files, index, clock) is handed in.

    workspace  a workspace opened for one command; running a cycle
    record     what runs did, recorded
    init       a new or adopted workspace; a line for today's log
    waiting    what waits for a person, as cards with their decisions
    review     the decisions: inbox, near-copies, contradictions, edits
    archive    to and from the archive; what fades
    forget     forgetting a memory, purging a text
    undo       taking a run back
    rearrange  splitting, merging, moving pages
    imports    conversations from elsewhere
    distil     asking a language model
    copies     export, backup and restore
    show       where a memory came from; runs; which memories were useful
    index      the search index
    verify     whether a bank has lost anything
    units      systemd units
"""
