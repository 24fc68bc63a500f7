"""Changes of files as values: what a transaction does, bytes to bytes, and how it meets outside edits.

operations and transaction are what is committed, journal is what is kept of it; spans says where a piece stands in a page, inserting and inserting_beside where a new one goes.
second_look does a transaction once more, merge3, recasting and settled respect what others wrote meanwhile.
layout is how lines of pages are laid out anew, matching finds what of a page has not changed.
Writing is the business of adapters/storage.
"""
