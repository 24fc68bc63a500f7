"""What an agent speaks to: hooks, MCP tools, and how agents are connected.

asking   when an agent is asked for notes, and in which words
briefs   briefings for a reader, and which a session begins with
connect  our plugin and our lines in an agent's settings: put in and taken out
hooks    what each hook of a session answers; trivial prompts
mcp      the Model Context Protocol: frames, stream, server
remote   the same over HTTP for agents on other machines: tokens, who is let in, what they may ask
tools    what the tools and methods do over the bank (offered.json has their schemas)
"""
