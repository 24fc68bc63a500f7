"""The life of a memory: from a line of a log to the archive and back.

adding makes a line, retain reads those of a log, collect finds the new ones, edited the reworded ones; routing,
similar, page_classifier, follow and renamed_pages find their page, asked the questions that they answer. events is
what is remembered of them, provenance explains it; decay, retiring, promotion and archive say what fades, goes and
rises, restoring brings back. undo takes a run back; consolidate joins near-copies, purge forgets for good.
"""
