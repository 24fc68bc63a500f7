"""What the user asks for, one module a verb: each reads, decides by the rules of core, and commits as a run does.

forget, archive, rearrange, inbox, duplicates, consolidate, undo change the bank; user_run carries their plans out.
show, log, status, doctor, verify, index only look; init makes a workspace; evaluate measures.
All work over ports: workspace and search_service are what they are given, recording notes what every run did.
engine is a workspace as the daemon holds it, search_server answers for it.
"""
