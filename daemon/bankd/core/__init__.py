"""The rules of bankd: functions of (state, facts, now, policy). Each room may use those after it.

transcripts, agents: other programs' sessions, and how agents are spoken to. briefing, ranking, distil: what is said
unasked, how answers are ordered, what prose says. plan, daemon: what a run will change, what the service decides.
lifecycle: a memory from a log's line to the archive. grounding: whether a line says what its log says; dedup, pages,
use: what is the same, how pages are divided, what was used. links, edits: references and changes of files as values;
language, secrets: what a text says, and hides.
markdown: pages, headings, lines. Nothing below reads a file, a clock or the environment, or logs.
"""
