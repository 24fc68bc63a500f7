"""The official client of MCP for Python, as a program: talks to `bankctl mcp` and prints what it got, as JSON.

    python sdk_client.py MODE COMMAND…
    python sdk_client.py MODE URL TOKEN

MODE is `legacy` (the handshake), `auto` or a revision. A file by itself, for that package lives in a place of its own.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

CALLS = 100


async def talk(mode: str, command: list[str]) -> dict[str, Any]:
    """List everything, ask, note, fail, and have a hundred calls in flight."""
    server = stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
    if command[0].startswith("http"):
        client = create_mcp_http_client({"Authorization": f"Bearer {command[1]}"})
        server = streamable_http_client(command[0], http_client=client)
    async with Client(server, mode=mode) as client:
        tools = await client.list_tools()
        pages = await client.list_resources()
        page = await client.read_resource(pages.resources[0].uri)
        prompt = await client.get_prompt("recall", {"question": "What does Peter prefer?"})
        found = await client.call_tool("memory_search", {"query": "What does Peter prefer?"})
        noted = await client.call_tool("memory_note", {"text": "The hall key is at the gate."})
        wrong = await client.call_tool("memory_note", {"text": ""})
        many = await asyncio.gather(*(client.call_tool("memory_search", {"query": "Peter"}) for _ in range(CALLS)))
    return {
        "tools": [tool.name for tool in tools.tools],
        "page": page.contents[0].text,
        "prompt": prompt.messages[0].content.text,
        "hits": [hit.split(" · ")[1] for hit in found.structured_content["hits"]],
        "noted": noted.structured_content["written"],
        "refused": wrong.is_error,
        "answered": sum(not one.is_error for one in many),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(talk(sys.argv[1], sys.argv[2:]))))
