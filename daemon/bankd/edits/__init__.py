"""Changes of files as operations that can be repeated and undone, and which files may be touched at all. Pure.

inserting    pieces of a page: where they stand, and where new ones go
operations   what a transaction does to one file
transaction  operations and events in a safe order, and what each step does
second_look  what is done again, what people settled, which pages are fought over
settle       which files are at rest and may be touched
"""
