"""How agents are spoken to: the messages of MCP, the tools on offer, what they are given of the bank.

mcp_protocol the messages · mcp_tools the tools · recalled answers as agents get them, in a block that is marked as data
responses which memories a response used · trivial_prompts prompts that ask nothing · config_edits their settings files
Pure functions from a message to an answer, or to the call that it asks for. Not here: frames, threads, the bank.
"""
