"""What agents and chat services keep of a conversation, read as turns, and written as logs of a day.

agent_sessions and chat_exports are the formats, from rows to turns; recognise says which of them a source has; day_logs
writes the text of a log, imported_end knows the end of one that an import wrote. Not here: files, archives.
"""
