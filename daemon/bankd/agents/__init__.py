"""What an agent speaks to: hooks, MCP tools, and how agents are connected.

briefs   answers, briefs for agents
connect  plugins, settings lines
hooks    answers to hooks
mcp      frames, two threads
tools    tools, schemas, protocol
"""
