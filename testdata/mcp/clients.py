"""What the Python SDK and FastMCP make of the fixture. Usage: clients.py URL FIXTURE

Each mode lists, calls, gets an error that it can act on, gets progress, reads a
resource and a prompt, completes an argument, and answers and declines a question:
over HTTP, and over the standard input and output of FIXTURE."""

import asyncio
import sys

import fastmcp
from fastmcp.client.transports import StdioTransport
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp_types import ElicitResult, PromptReference


async def exercise(name, server, mode):
    asked = []

    async def elicit(context, params):
        asked.append(params.message)
        if "confirm" in params.message:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"name": "Ada"})

    async with Client(server, mode=mode, elicitation_callback=elicit) as client:
        tools = (await client.list_tools()).tools
        assert len(tools) == 22, len(tools)

        result = await client.call_tool("test_add_numbers", {"a": 1, "b": 2})
        assert result.structured_content == {"sum": 3}, result

        result = await client.call_tool("test_header_tool", {"region": "Zürich"})
        assert result.structured_content == {"region": "Zürich"}, result

        result = await client.call_tool("test_add_numbers", {"a": "one"})
        assert result.is_error and "/a must be a number\n- /b is required" in result.content[0].text, result

        for tool, kind in ("test_image_content", "image"), ("test_audio_content", "audio"):
            result = await client.call_tool(tool, {})
            assert result.content[0].type == kind, result

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

        assert len((await client.list_resources()).resources) == 2
        assert len((await client.list_resource_templates()).resource_templates) == 1
        contents = (await client.read_resource("test://template/7/data")).contents
        assert '"id":"7"' in contents[0].text, contents
        try:
            await client.read_resource("test://template/missing/data")
        except MCPError:
            pass
        else:
            raise AssertionError("a resource was read that is not there")

        assert len((await client.list_prompts()).prompts) == 6
        prompt = await client.get_prompt("test_styled_prompt", {"style": "funny", "words": "20"})
        assert prompt.messages[0].content.text == "Write 20 words in a funny tone.", prompt
        done = await client.complete(PromptReference(name="test_styled_prompt"), {"name": "style", "value": "f"})
        assert done.completion.values == ["formal", "friendly", "funny"], done

        result = await client.call_tool("test_input_required_result_elicitation", {})
        if asked:  # a client of 2026-07-28
            assert result.content[0].text == "Hello, Ada!", result
            result = await client.call_tool("test_input_required_result_request_state", {})
        assert result.is_error and "FAILED_PRECONDITION" in result.content[0].text, result
        assert (len(asked) == 2) == (mode != "legacy"), asked
    print(f"ok mcp (Python), {name}, {mode}")


async def exercise_fastmcp(name, server):
    async def elicit(message, response_type, params, context):
        return {"name": "Ada"}

    async with fastmcp.Client(server, elicitation_handler=elicit) as client:
        assert len(await client.list_tools()) == 22
        result = await client.call_tool("test_add_numbers", {"a": 1, "b": 2})
        assert result.structured_content == {"sum": 3}, result
        result = await client.call_tool("test_add_numbers", {"a": "one"}, raise_on_error=False)
        assert result.is_error, result
        contents = await client.read_resource("test://template/7/data")
        assert '"id":"7"' in contents[0].text, contents
        prompt = await client.get_prompt("test_styled_prompt", {"style": "funny", "words": "20"})
        assert prompt.messages[0].content.text == "Write 20 words in a funny tone.", prompt
    print(f"ok FastMCP, {name}")


async def main():
    url, fixture = sys.argv[1:]
    for mode in ("legacy", "auto", "2026-07-28"):
        await exercise("HTTP", url, mode)
        await exercise("stdio", StdioServerParameters(command=fixture, args=["-stdio"]), mode)
    await exercise_fastmcp("HTTP", url)
    await exercise_fastmcp("stdio", StdioTransport(fixture, ["-stdio"]))


asyncio.run(main())
