"""Changes of files as values: what a transaction does, bytes to bytes, and how it meets outside edits.

operations and transaction are what is committed; spans and insert_position say where in a page.
second_look does a transaction once more, undo reverses it, merge3 and recasting respect what others wrote meanwhile.
layout is how lines of pages are laid out anew. Writing is the business of adapters/storage.
"""
