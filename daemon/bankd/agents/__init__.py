"""What agents call: the MCP server and the hooks of their sessions. An entry point, as `cli` and `service` are.

mcp_server answers, frames reads and writes its messages, memory_tools are the tools; hooks is what a session's events
call, briefings what it hears at its start. Nothing here may break an agent's session: a call that fails is answered
as failed, and a hook that fails says nothing.
"""
