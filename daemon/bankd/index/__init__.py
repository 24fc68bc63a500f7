"""The search index of a workspace, in SQLite and tantivy: read, written, mended.

folder        builds, checks
meaning_rows
recall        answers as Markdown
rows          SQLite
search_index  open, mend, refresh
sources       pages, logs
successors
terms         tantivy
told          days, questions
tree_file     tree-index.json
writer        changes put in
"""
