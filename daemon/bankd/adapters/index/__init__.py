"""The search index on disk: rows and terms in .bankd/index/, written piece by piece, read by queries.

search_index is what queries read, writer what keeps it current; rows, use_rows, terms, entries, keywords, tree_index are its parts.
recall keeps recent answers, page_files reads pages, told what stands beside them, successors says what runs found memories to be to each other, tree_file keeps the tree.
"""
