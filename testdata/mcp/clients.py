"""What the Python SDK makes of the fixture. Usage: clients.py URL

Each mode lists, calls, gets an error that it can act on, and gets progress."""

import asyncio
import sys

from mcp import Client, MCPError


async def exercise(url, mode):
    async with Client(url, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert len(tools) == 14, len(tools)

        result = await client.call_tool("test_add_numbers", {"a": 1, "b": 2})
        assert result.structured_content == {"sum": 3}, result

        result = await client.call_tool("test_header_tool", {"region": "Zürich"})
        assert result.structured_content == {"region": "Zürich"}, result

        result = await client.call_tool("test_add_numbers", {"a": "one"})
        assert result.is_error and "/a must be a number\n- /b is required" in result.content[0].text, result

        heard = []

        async def report(done, total, message):
            heard.append(done)

        await client.call_tool("test_tool_with_progress", {}, progress_callback=report)
        assert heard == [0, 50, 100], heard

        try:
            await client.call_tool("test_no_such_tool", {})
        except MCPError:
            pass
        else:
            raise AssertionError("an unknown tool was called")
    print(f"ok mcp (Python), {mode}")


async def main():
    for mode in ("legacy", "auto", "2026-07-28"):
        await exercise(sys.argv[1], mode)


asyncio.run(main())
