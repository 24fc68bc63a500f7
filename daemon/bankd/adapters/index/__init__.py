"""The search index on disk: rows and terms in .bankd/index/, written piece by piece, read by queries.

search_index is what queries read, writer what keeps it current; rows, terms, entries, keywords, tree_index are its parts.
answer_cache and recall keep recent answers, page_files reads pages, successors says what was superseded.
"""
