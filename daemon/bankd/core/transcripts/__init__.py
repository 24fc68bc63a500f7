"""What agents and chat services keep of a conversation, read as turns, and written as logs of a day.

Here: the formats of agents and of chat services, from rows to turns; which of them a source has; the text of a log, and
how the end of one that an import wrote is known again. Not here: files, archives.
"""
