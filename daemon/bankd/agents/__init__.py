"""The interfaces for agents: hooks, MCP tools, and connecting an agent.

asking   when and how an agent is asked for notes (asking.json has the words)
briefs   briefings for a reader, and which a session begins with
connect  our plugin and our lines in an agent's settings: put in and taken out
hooks    what each hook of a session answers; trivial prompts
mcp      the Model Context Protocol: frames, stream, server
remote   the same over HTTP for agents on other machines: tokens, admission, permissions
tools    what the tools and methods do over the bank (offered.json has their schemas)
"""
