"""What agents are spoken to in: the messages of MCP, the tools on offer, the block that marks our own words as data.

Here: pure functions from a message to an answer or to the call that it asks for. Not here: frames, threads, the bank.
"""
