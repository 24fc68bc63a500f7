"""Sentence vectors: which memories mean much the same, whatever their words.

worker is the process that holds the model and the vectors; sentence_vectors is the door to it, for all others.
models are what makes vectors: one on this machine, or any `/v1/embeddings`; store keeps them, by the key of a text.

Everything here is derived and optional: where it is missing, slow or broken, the words answer alone.
"""
