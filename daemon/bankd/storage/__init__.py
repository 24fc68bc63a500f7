"""Files written so that a crash at any moment loses nothing.

derived       made anew
disk          room, rights, kind
events        file, year, writer
files         Markdown at rest
journals      redo, lock
log_end       ends of logs
recovery      crashes, trash
staging       one file exchanged
transactions  the one writer
tree          one root
"""
