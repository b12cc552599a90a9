"""What the Python clients make of the fixture and of the template.
Usage: clients.py URL FIXTURE TEMPLATE_URL TEMPLATE KITCHEN_URL KITCHEN

Each client goes through exercise, over HTTP and over the standard input and output of
FIXTURE, and archives what the template has. README.md says what a client cannot do."""

import asyncio
import sys
import uuid

import fastmcp
from fastmcp.client.elicitation import ElicitResult as FastElicitResult
from fastmcp.client.transports import StdioTransport
from kitchen import ORDER, WRONG, WRONG_AT, check_refs
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp_types import ElicitResult, PromptReference
from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.function import FunctionModel

ERRORS = (MCPError, fastmcp.exceptions.McpError, fastmcp.exceptions.ToolError)


class Person:
    """Answers the questions of a server, and declines what it should confirm."""

    def __init__(self):
        self.asked = []

    def answer(self, message):
        self.asked.append(message)
        for word, content in {"confirm": None, "color": {"color": "red"}, "sure": {"ok": True}}.items():
            if word in message:
                return content
        return {"name": "Ada"}


async def fails(call):
    try:
        await call
    except ERRORS:
        return
    raise AssertionError("a call that must fail did not")


async def exercise(client, call, person, heard, asks):
    """Does with one client what a client can do. call is client.call_tool with errors
    as results, and the rest is the same in both packages."""
    result = await call("test_add_numbers", {"a": 1, "b": 2})
    assert result.structured_content == {"sum": 3}, result
    result = await call("test_header_tool", {"region": "Zürich"})
    assert result.structured_content == {"region": "Zürich"}, result
    result = await call("test_add_numbers", {"a": 1, "b": 2, "B_": 3})
    assert result.is_error and '/B_ is not a known property; did you mean "b"?' in result.content[0].text, result
    key = str(uuid.uuid4())
    first = await call("test_write_once", {"text": "a", "idempotency_key": key})
    again = await call("test_write_once", {"text": "a", "idempotency_key": key})
    other = await call("test_write_once", {"text": "a", "idempotency_key": key + "2"})
    assert first.structured_content == again.structured_content, again
    assert other.structured_content["count"] == first.structured_content["count"] + 1, other
    result = await call("test_write_once", {"text": "b", "idempotency_key": key})
    assert result.is_error and "the idempotency key was used with" in result.content[0].text, result
    result = await call("test_write_once", {"text": "a"})
    assert result.is_error and "/idempotency_key is required" in result.content[0].text, result
    result = await call("test_add_numbers", {"a": "one"})
    assert result.is_error and "/a must be a number, is a string\n- /b is required" in result.content[0].text, result
    for tool, kind in ("test_image_content", "image"), ("test_audio_content", "audio"):
        result = await call(tool, {})
        assert result.content[0].type == kind, result
    shapes = {"first": {"kind": "circle", "name": "c", "radius": 2}, "rest": [{"kind": "square", "side": 1}, {"kind": "dot"}]}
    result = await call("test_draw", shapes)
    assert result.structured_content == shapes, result
    for wrong, text in ({"kind": "circle", "side": 1}, "/first/side is not a known property\n- /first/radius is required"), ({"kind": "line"}, "/first/kind must be one of circle, square, dot"):
        result = await call("test_draw", {"first": wrong})
        assert result.is_error and text in result.content[0].text, result
    result = await call("test_get_picture", {})
    assert (result.content[0].type, result.content[0].mime_type) == ("image", "image/png"), result
    result = await call("test_get_table", {})
    table = result.content[0].resource
    assert (table.text, table.mime_type) == ("a,b,sum\n1,2,3\n", "text/csv"), result
    await call("test_tool_with_progress", {})
    assert heard == [0, 50, 100], heard
    try:
        await asyncio.wait_for(call("test_endless", {}), 0.05)
    except asyncio.TimeoutError:
        pass
    for _ in range(1200):  # the server is asked, since the client would believe it anyway
        counts = (await call("test_ended", {})).structured_content
        if counts["begun"] > 0 and counts["begun"] == counts["ended"]:
            break
        await asyncio.sleep(0.05)
    assert counts["begun"] == counts["ended"] > 0, counts
    result = await call("test_conversation", {"about": "colors"})
    declined = await call("test_input_required_result_request_state", {})
    assert declined.is_error and "FAILED_PRECONDITION" in declined.content[0].text, declined
    if asks:
        assert result.content[0].text == "colors: Ada, red, true", result
        assert len(person.asked) == 4, person.asked
    else:
        assert "FAILED_PRECONDITION: not done, since this client cannot be asked" in result.content[0].text, result
        assert person.asked == [], person.asked
    await fails(client.read_resource("test://template/missing/data"))


async def exercise_mcp(name, server, mode):
    person, heard = Person(), []

    async def elicit(context, params):
        content = person.answer(params.message)
        return ElicitResult(action="accept" if content else "decline", content=content)

    async def report(done, total, message):
        heard.append(done)

    async with Client(server, mode=mode, elicitation_callback=elicit) as client:
        tools = (await client.list_tools()).tools
        assert len(tools) == 42 and all("properties" in t.input_schema for t in tools), tools
        await fails(client.call_tool("test_no_such_tool", {}))
        assert len((await client.list_resources()).resources) == 5
        assert len((await client.list_resource_templates()).resource_templates) == 1
        contents = (await client.read_resource("test://template/7/data")).contents
        assert '"id":"7"' in contents[0].text, contents
        assert len((await client.list_prompts()).prompts) == 6
        prompt = await client.get_prompt("test_styled_prompt", {"style": "funny", "words": "20"})
        assert prompt.messages[0].content.text == "Write 20 words in a funny tone.", prompt
        done = await client.complete(PromptReference(name="test_styled_prompt"), {"name": "style", "value": "f"})
        assert done.completion.values == ["formal", "friendly", "funny"], done
        await exercise(client, lambda tool, args: client.call_tool(tool, args, progress_callback=report), person, heard, True)
    print(f"ok mcp (Python), {name}, {mode}")


async def archive(name, call, answers):
    """Lets a user say no, then not yes, then yes."""
    created = (await call("todos_create", {"title": "for the archive"})).structured_content
    await call("todos_patch", {"id": created["id"], "completed": True})
    for said in "said no", "not said yes":
        refused = await call("todos_archive", {})
        assert refused.is_error and said in refused.content[0].text, refused
        assert (await call("todos_get", {"id": created["id"]})).structured_content["completed"]
    assert (await call("todos_archive", {})).structured_content["archived"] >= 1
    gone = await call("todos_get", {"id": created["id"]})
    assert gone.is_error and "NOT_FOUND" in gone.content[0].text, gone
    assert answers == [], answers
    print(f"ok {name}, archive")


CANNOT = "not done, since this client cannot be asked"


async def archive_mcp(name, server, mode):
    answers = [("decline", None), ("accept", {"yes": False}), ("accept", {"yes": True})]

    async def elicit(context, params):
        action, content = answers.pop(0)
        return ElicitResult(action=action, content=content)

    async with Client(server, mode=mode, elicitation_callback=elicit) as client:
        await archive(f"mcp (Python), {name}, {mode}", client.call_tool, answers)
    async with Client(server, mode=mode) as client:
        refused = await client.call_tool("todos_archive", {})
        assert refused.is_error and CANNOT in refused.content[0].text, refused
    print(f"ok mcp (Python), {name}, {mode}, as it is configured by default")


async def archive_fastmcp(name, server):
    answers = [None, {"yes": False}, {"yes": True}]

    async def elicit(message, response_type, params, context):
        return answers.pop(0) or FastElicitResult(action="decline")

    async with fastmcp.Client(server, elicitation_handler=elicit) as client:
        await archive(f"FastMCP, {name}", lambda tool, args: client.call_tool(tool, args, raise_on_error=False), answers)
    async with fastmcp.Client(server) as client:
        refused = await client.call_tool("todos_archive", {}, raise_on_error=False)
        assert refused.is_error and CANNOT in refused.content[0].text, refused
    print(f"ok FastMCP, {name}, as it is configured by default")


async def exercise_fastmcp(name, server):
    person, heard = Person(), []

    async def elicit(message, response_type, params, context):
        content = person.answer(message)
        return content if content else FastElicitResult(action="decline")

    async def report(done, total, message):
        heard.append(done)

    async with fastmcp.Client(server, elicitation_handler=elicit) as client:
        assert len(await client.list_tools()) == 42
        await fails(client.call_tool("test_no_such_tool", {}))
        assert len(await client.list_resources()) == 5
        assert len(await client.list_resource_templates()) == 1
        contents = await client.read_resource("test://template/7/data")
        assert '"id":"7"' in contents[0].text, contents
        assert len(await client.list_prompts()) == 6
        prompt = await client.get_prompt("test_styled_prompt", {"style": "funny", "words": "20"})
        assert prompt.messages[0].content.text == "Write 20 words in a funny tone.", prompt
        done = await client.complete(PromptReference(name="test_styled_prompt"), {"name": "style", "value": "f"})
        assert done.values == ["formal", "friendly", "funny"], done
        await exercise(client, lambda tool, args: client.call_tool(tool, args, raise_on_error=False, progress_handler=report), person, heard, True)
    print(f"ok FastMCP, {name}")


async def exercise_agent(name, server):
    """Runs an agent whose model is a script: it calls one tool after the other, also
    with wrong arguments, which the framework tells it so that it can repair them."""
    heard, seen = [], []

    async def report(done, total, message):
        heard.append(done)

    script = [
        ("test_add_numbers", {"a": "one"}),
        ("test_add_numbers", {"a": 1, "b": 2}),
        ("test_image_content", {}),
        ("test_tool_with_progress", {}),
        ("test_conversation", {"about": "colors"}),
        ("test_add_numbers", {"a": 1, "b": 2, "B_": 3}),
    ]

    def model(messages, info):
        seen.extend(part for part in messages[-1].parts if isinstance(part, ToolReturnPart))
        if len(seen) == len(script):
            return ModelResponse(parts=[TextPart("done")])
        assert len(info.function_tools) == 42, len(info.function_tools)
        tool, args = script[len(seen)]
        return ModelResponse(parts=[ToolCallPart(tool, args)])

    toolset = MCPToolset(server, progress_handler=report)
    async with Agent(FunctionModel(model), toolsets=[toolset]) as agent:
        result = await agent.run("go")
        assert result.output == "done", result
        assert len(await toolset.list_resources()) == 5
        assert '"id":"7"' in str(await toolset.read_resource("test://template/7/data"))
        assert "Write 20 words" in str(await toolset.get_prompt("test_styled_prompt", {"style": "funny", "words": "20"}))
    assert seen[0].outcome == "retried" and "/b is required" in seen[0].content, seen[0]
    assert seen[1].content == {"sum": 3}, seen[1]
    assert "image/png" in str(seen[2]), seen[2]
    assert heard == [0, 50, 100], heard
    assert "FAILED_PRECONDITION: not done, since this client cannot be asked" in seen[4].content, seen[4]
    assert '/B_ is not a known property; did you mean "b"?' in seen[5].content, seen[5]
    print(f"ok pydantic-ai, {name}")


async def refer(name, client, call):
    """Calls a tool with $defs. The clients validate its output."""
    tools = await client.list_tools()
    check_refs([(tool.input_schema, tool.output_schema) for tool in getattr(tools, "tools", tools)])
    result = await call("shipping_echo_order", ORDER)
    assert result.structured_content == ORDER, result
    result = await call("shipping_echo_order", WRONG)
    assert result.is_error and WRONG_AT in result.content[0].text, result
    print(f"ok {name}, $defs")


async def agent_calls(client, script, check=lambda tools: None):
    """Returns what an agent hears from the calls of script. check looks at the tools that
    its model gets."""
    seen = []

    def model(messages, info):
        check(info.function_tools)
        seen.extend(part for part in messages[-1].parts if isinstance(part, ToolReturnPart))
        if len(seen) == len(script):
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(*script[len(seen)])])

    async with Agent(FunctionModel(model), toolsets=[MCPToolset(client)]) as agent:
        await agent.run("go")
    return seen


async def archive_agent(name, server):
    """Agents ask in sessions of older revisions, with the handler of their client."""
    answers = [None, {"yes": True}]

    async def elicit(message, response_type, params, context):
        return answers.pop(0) or FastElicitResult(action="decline")

    client = fastmcp.Client(server, mode="legacy", elicitation_handler=elicit)
    async with client:
        done = await client.call_tool("todos_create", {"title": "for the archive"})
        id = {"id": done.structured_content["id"]}
        await client.call_tool("todos_patch", {**id, "completed": True})
        script = [("todos_archive", {}), ("todos_get", id), ("todos_archive", {}), ("todos_get", id)]
        no, left, yes, gone = await agent_calls(client, script)
    assert no.outcome != "success" and "said no" in no.content, no
    assert left.content["completed"], left
    assert yes.content["archived"] >= 1 and answers == [], (yes, answers)
    assert gone.outcome != "success" and "NOT_FOUND" in gone.content, gone
    refused = (await agent_calls(server, [("todos_archive", {})]))[0]
    assert CANNOT in refused.content, refused
    print(f"ok pydantic-ai, {name}, archive, and as it is configured by default")


async def refer_agent(name, server):
    def check(tools):
        check_refs([(tool.parameters_json_schema,) for tool in tools], expected=5)

    right, wrong = await agent_calls(server, [("shipping_echo_order", ORDER), ("shipping_echo_order", WRONG)], check)
    assert right.content == ORDER, right
    assert WRONG_AT in wrong.content, wrong
    print(f"ok pydantic-ai, {name}, $defs")


async def cancel_agent(name, server):
    """Cancels a call once the server says that it has begun. The server is asked, too,
    whether it has ended."""
    async with MCPToolset(server) as toolset:
        async def until(enough):
            for _ in range(200):
                counts = await toolset.direct_call_tool("test_ended", {})
                if enough(counts):
                    return counts
                await asyncio.sleep(0.05)
            raise AssertionError(counts)

        before = await until(lambda counts: counts["begun"] == counts["ended"])
        call = asyncio.create_task(toolset.direct_call_tool("test_endless", {}))
        await until(lambda counts: counts["begun"] > before["begun"])
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await until(lambda counts: counts["begun"] == counts["ended"])
    print(f"ok pydantic-ai, {name}, cancels")


async def main():
    url, fixture, todos_url, todos, kitchen_url, kitchen = sys.argv[1:]
    for mode in ("legacy", "auto", "2026-07-28"):
        await exercise_mcp("HTTP", url, mode)
        await exercise_mcp("stdio", StdioServerParameters(command=fixture, args=["-stdio"]), mode)
        await archive_mcp("HTTP", todos_url, mode)
        await archive_mcp("stdio", StdioServerParameters(command=todos, args=["-mcp"]), mode)
    await archive_fastmcp("HTTP", todos_url)
    await archive_fastmcp("stdio", StdioTransport(todos, ["-mcp"], keep_alive=False))
    for over, server in ("HTTP", kitchen_url), ("stdio", StdioServerParameters(command=kitchen, args=["-stdio"])):
        async with Client(server) as client:
            await refer(f"mcp (Python), {over}", client, client.call_tool)
    for over, server in ("HTTP", kitchen_url), ("stdio", StdioTransport(kitchen, ["-stdio"], keep_alive=False)):
        async with fastmcp.Client(server) as client:
            await refer(f"FastMCP, {over}", client, lambda tool, args: client.call_tool(tool, args, raise_on_error=False))
        await refer_agent(over, server)
    await archive_agent("HTTP", todos_url)
    await archive_agent("stdio", StdioTransport(todos, ["-mcp"], keep_alive=False))
    await cancel_agent("HTTP", url)
    await cancel_agent("stdio", StdioTransport(fixture, ["-stdio"], keep_alive=False))
    for run in (exercise_fastmcp, exercise_agent):
        await run("HTTP", url)
        await run("stdio", StdioTransport(fixture, ["-stdio"]))


asyncio.run(main())
