"""Processes for work that needs much memory or time: Kiwi, sentence vectors, language models.

analyser       reads texts for the index, queries and comparing: cache, Kiwi (and its process), lexicon
vectors        starts and asks the process of sentence vectors, of bank, logs and archive
vector_worker  the process of sentence vectors
vector_store   vectors on the disk, and the nearest of them
reranker       asks a server how well each of the best answers fits the question
models         asks a language model within limits
model_worker   the process that asks a language model, or an agent's own program as one
"""
