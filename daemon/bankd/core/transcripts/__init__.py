"""What agents and chat services keep of a conversation, read as turns, and written as logs of a day.

Here: one module a format, from its rows to turns; which format a source is; the text of a log, and how the end of one that
an import wrote is known again. Not here: files, archives.
"""
