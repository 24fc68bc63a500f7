"""What agents call: the MCP server and the hooks of their sessions. An entry point, as `cli` and `service` are.

Nothing here may break an agent's session: a call that fails is answered as failed, and a hook that fails says nothing.
"""
