"""The rules of bankd: functions of (state, facts, now, policy). Each room may use those after it.

ranking, plan, daemon: how answers are ordered, what a run will change, what the service decides.
lifecycle: a memory from a log's line to the archive; use: what was of use since; dedup, pages: what is the same, how pages are divided.
links, edits: references and changes of files as values; language, secrets: what a text says, and hides.
markdown: pages, headings, lines. Nothing below reads a file, a clock or the environment, or logs.
"""
