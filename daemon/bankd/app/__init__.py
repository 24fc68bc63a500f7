"""What the user asks for, one module a verb: each reads, decides by the rules of core, and commits as a run does.

forget, archive, rearrange, inbox, decisions, promotion, duplicates, consolidate, feedback, distil and undo change the
bank; user_run commits what they plan, recording notes each run. show, related, distil_plan with night_prompts, doctor (with the
status, and what holds of the promises) and index only read; evaluate, with warming, judges search. init and adopt make workspaces,
import_sources makes logs of transcripts, import_runs takes them back, connect changes agents by their agent_plans,
service_units writes units. workspace is what they work on, run_index the index as a run asks it. bank_search
owns a query: what answers it, and what takes in the files that changed.
"""
