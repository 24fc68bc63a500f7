"""Changes of files as operations that can be done twice and undone, and when a file may be touched. Pure.

inserting    places, pieces
operations   changes of a file
second_look  once more, fights
settle       may it be touched
transaction  operations, events, journal
"""
