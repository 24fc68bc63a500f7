"""The life of a memory, from a line of a log to the archive: decided, checked and taken back.

This room decides; it reads no files and no clock.

    retain      the Retain lines of a log
    new_lines   which of them are new, edited, or in a renamed log; batches
    judge       which new lines say what is known, or replace it; memories whose lines were edited
    route       page, heading and part for a memory
    plan        all that a run will change
    links       how links follow a plan; a plan loses nothing
    report      the report of a run (chapters.tsv); what became of a line (lines.tsv); whether a bank has lost any
    ledger      the event log, folded into one state
    use         use, strength and fading of memories
    archive     what may go to the archive (faded, merged, unused), and where it comes back to
    undo        how a run is taken back, and how a text is purged
"""
