"""What a person asks for, one module a verb: each reads, decides by the rules of core, and commits through ports.

forget, archive, rearrange, inbox, duplicates, consolidate change the bank; user_run records them as runs.
show, log, status, doctor, verify, index only look; init makes a workspace; evaluate measures.
"""
