"""Markdown as bankd reads it: lossless, line by line, after CommonMark, GFM and Obsidian.

scanner, blocks and nesting find where each block ends, inline where links stand, titles and anchors what headings are
called. memory is the grammar of one remembered line, pages what a page holds, page_lines the exact lines of a memory.
names finds files as links find them, and knows bankd's own; hubs is what bankd writes around parts. display makes
text safe to print, utf8 fit for what takes only that, bare_json is JSON for processes that must start fast. policy
holds the settings as rules see them. Nothing here knows of runs, events or search.
"""
