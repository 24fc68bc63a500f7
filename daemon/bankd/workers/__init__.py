"""What runs in processes of its own: Kiwi, sentence vectors, language models.

analyser       texts read, cached
kiwi           door, process
kiwi_worker
model_worker   wires, process
models         language models' door
vector_worker  process, models
vectors        door, files
wordings
"""
