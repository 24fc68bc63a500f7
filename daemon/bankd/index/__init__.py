"""The search index of a workspace, in SQLite and tantivy: read, written, and made anew if it is damaged.

search_index  the index as search and runs use it; its builds on the disk, and their checksums
rows          the SQLite file of a build: memories, pages, use, vectors; what runs found about pairs of memories
terms         tantivy: which memories may answer
writer        puts what changed into a build
sources       the pages and logs that are indexed; recent answers as Markdown, for agents
told          what events and the catalog know about memories and lines of logs
tree_file     tree-index.json
"""
