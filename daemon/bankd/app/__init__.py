"""What the user asks for, one module a verb: each reads, decides by the rules of core, and commits as a run does.

forget, archive, rearrange, inbox, near_groups, duplicates, consolidate, undo change the bank; user_run carries their plans out.
show, log, status, doctor with environment_checks, verify, index only look; evaluate measures; service_units write units.
init and adopt make workspaces, import_sources makes logs of transcripts and import_runs takes them back, connect changes agents by their agent_plans.
workspace and search_service are what they are given, recording notes each run; run_index is the index as a run asks it,
beside what logs and archive add to answers. engine is a workspace as the daemon holds it, search_server answers for it.
"""
