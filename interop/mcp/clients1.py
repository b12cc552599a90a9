"""What Python clients on mcp 1.x make of the fixture and of the template, and whether the
server ends what they cancel. They have an environment of their own, since mcp 2.x has the
same name. Usage: clients1.py URL FIXTURE TEMPLATE_URL TEMPLATE KITCHEN_URL KITCHEN"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from datetime import timedelta

import anyio
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp, MCPUtil
from google.genai._mcp_utils import mcp_to_gemini_tools
from kitchen import ORDER, WRONG, WRONG_AT, check_refs
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import CancelledNotification, CancelledNotificationParams, ClientNotification, ElicitResult

NO, NOT_YES, YES = ElicitResult(action="decline"), ElicitResult(action="accept", content={"yes": False}), ElicitResult(action="accept", content={"yes": True})


@asynccontextmanager
async def connect(server, elicit=None):
    """A session of mcp 1.x. server is a URL or the command line of a program."""
    if isinstance(server, str):
        transport = streamablehttp_client(server)
    else:
        transport = stdio_client(StdioServerParameters(command=server[0], args=server[1:]))
    async with transport as (read, write, *_):
        async with ClientSession(read, write, elicitation_callback=elicit) as session:
            await session.initialize()
            yield session


async def ended(call):
    """Waits until the server says that no call of test_endless runs."""
    for _ in range(1200):
        counts = (await call("test_ended", {})).structuredContent
        if counts["begun"] > 0 and counts["begun"] == counts["ended"]:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(counts)


async def begun(call):
    """Waits until the server says that a call of test_endless runs."""
    for _ in range(200):
        counts = (await call("test_ended", {})).structuredContent
        if counts["begun"] > counts["ended"]:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(counts)


async def cancels(name, server):
    """mcp 1.x has no call for it: a program sends the notification itself, with the id that
    the session gives its next request."""
    async with connect(server) as session:
        ids = []
        async with anyio.create_task_group() as group:
            async def call():
                ids.append(session._request_id)
                try:
                    await session.call_tool("test_endless", {}, read_timeout_seconds=timedelta(seconds=60))
                except Exception:
                    pass

            group.start_soon(call)
            await begun(session.call_tool)
            await session.send_notification(ClientNotification(CancelledNotification(
                method="notifications/cancelled", params=CancelledNotificationParams(requestId=ids[0], reason="enough"))))
            await ended(session.call_tool)
            group.cancel_scope.cancel()
    print(f"ok mcp 1.x (Python), {name}, cancels")


async def gives_up(call, url):
    """Cancels a task that calls test_endless, once the server says that the call has begun."""
    async with connect(url) as session:
        task = asyncio.create_task(call)
        await begun(session.call_tool)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def cancels_agents(url):
    """mcp 1.x leaves the request open if the task that waits for it is canceled. langchain
    has a session for each call, unless a program keeps one, and closes it; openai-agents
    keeps its session. The server ends the call when the session is closed."""
    tools = {tool.name: tool for tool in await langchain_client(url).get_tools()}
    await gives_up(tools["test_endless"].ainvoke({}), url)
    async with connect(url) as session:
        await ended(session.call_tool)
    print("ok langchain-mcp-adapters, HTTP, cancels")
    async with agents_server(url) as server:
        await gives_up(server.call_tool("test_endless", {}), url)
    async with connect(url) as session:
        await ended(session.call_tool)
    print("ok openai-agents, HTTP, ends its call when it closes")


async def archive(name, call, answers):
    """Lets a user say no, then not yes, then yes. call returns whether the call failed, and its
    text."""
    async def wants(tool, args, failed, text):
        got = await call(tool, args)
        assert got[0] == failed and text in got[1], (tool, got)
        return got[1]

    created = await wants("todos_create", {"title": "for the archive"}, False, '"id"')
    id = {"id": created.split('"id":"')[1].split('"')[0]}
    await wants("todos_patch", {**id, "completed": True}, False, '"completed":true')
    for said in "said no", "not said yes":
        await wants("todos_archive", {}, True, said)
        await wants("todos_get", id, False, '"completed":true')
    await wants("todos_archive", {}, False, '"archived":')
    await wants("todos_get", id, True, "NOT_FOUND")
    assert answers == [], answers
    print(f"ok {name}, archive")


async def exercise(name, server, elicit, call_of):
    """Archives with a handler for questions, and without one."""
    answers = [NO, NOT_YES, YES]

    async def answer(*_):
        return answers.pop(0)

    async with call_of(server, answer) as call:
        await archive(name, call, answers)
    async with call_of(server, None) as call:
        failed, text = await call("todos_archive", {})
        assert failed and "not done, since this client cannot be asked" in text, text
    print(f"ok {name}, as it is configured by default")


@asynccontextmanager
async def sdk(server, elicit):
    async with connect(server, elicit) as session:
        async def call(tool, args):
            result = await session.call_tool(tool, args)
            return result.isError, result.content[0].text

        yield call


def langchain_client(server, elicit=None):
    if isinstance(server, str):
        connection = {"transport": "streamable_http", "url": server}
    else:
        connection = {"transport": "stdio", "command": server[0], "args": server[1:]}
    callbacks = Callbacks(on_elicitation=elicit) if elicit else None
    return MultiServerMCPClient({"it": connection}, callbacks=callbacks)


def langchain_session(server, elicit=None):
    return langchain_client(server, elicit).session("it")


@asynccontextmanager
async def langchain(server, elicit):
    async with langchain_session(server, elicit) as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}

        async def call(tool, args):
            got = await tools[tool].ainvoke(args)  # an error is a text, for the model
            text = got if isinstance(got, str) else got[0]["text"]
            return text.split(":")[0].isupper(), text

        yield call


def agents_server(server):
    if isinstance(server, str):
        return MCPServerStreamableHttp(params={"url": server}, client_session_timeout_seconds=60)
    return MCPServerStdio(params={"command": server[0], "args": server[1:]}, client_session_timeout_seconds=60)


@asynccontextmanager
async def agents(server, elicit):
    async with agents_server(server) as session:
        async def call(tool, args):
            result = await session.call_tool(tool, args)
            return result.isError, result.content[0].text

        yield call


async def refer(name, server):
    """Resolves the $refs that each client has, and calls a tool with $defs. They validate its
    output."""
    async with connect(server) as session:
        check_refs([(tool.inputSchema, tool.outputSchema) for tool in (await session.list_tools()).tools])
    async with langchain_session(server) as session:
        check_refs([(tool.args_schema,) for tool in await load_mcp_tools(session)], expected=5)
    async with agents_server(server) as session:
        tools = await session.list_tools()
        check_refs([(tool.inputSchema, tool.outputSchema) for tool in tools])
        functions = [MCPUtil.to_function_tool(tool, session, convert_schemas_to_strict=False) for tool in tools]
        check_refs([(function.params_json_schema,) for function in functions], expected=5)  # for the model
    for client, call_of in ("mcp 1.x (Python)", sdk), ("langchain-mcp-adapters", langchain), ("openai-agents", agents):
        async with call_of(server, None) as call:
            failed, text = await call("shipping_echo_order", ORDER)
            assert not failed and json.loads(text) == ORDER, text
            failed, text = await call("shipping_echo_order", WRONG)
            assert failed and WRONG_AT in text, text
        print(f"ok {client}, {name}, $defs")


async def converts(name, url, left):
    """Turns all tools into what models get. left is how many openai-agents does not make strict:
    those without arguments, and those of which an object takes any name."""
    async with agents_server(url) as server:
        tools = await server.list_tools()
        for strict, want in (False, 0), (True, left):
            functions = [MCPUtil.to_function_tool(tool, server, convert_schemas_to_strict=strict) for tool in tools]
            others = [function.name for function in functions if function.strict_json_schema != strict]
            assert len(functions) == len(tools) and len(others) == want, (strict, others)
    for tool in tools:
        names = sorted(tool.inputSchema["properties"])
        parameters = mcp_to_gemini_tools([tool])[0].function_declarations[0].parameters
        assert sorted(parameters.properties or {}) == names, (tool.name, parameters)
    async with langchain_session(url) as session:
        converted = [convert_to_openai_tool(tool, strict=strict) for tool in await load_mcp_tools(session) for strict in (False, True)]
        assert len(converted) == 2 * len(tools)
    print(f"ok openai-agents, google-genai and langchain, {name}, {len(tools)} tools as models get them")


async def main():
    url, fixture, todos_url, todos, kitchen_url, kitchen = sys.argv[1:]
    for over, server in ("HTTP", kitchen_url), ("stdio", [kitchen, "-stdio"]):
        await refer(over, server)
    await converts("template", todos_url, 2)
    await converts("kitchen", kitchen_url, 14)
    await converts("bookmarks", kitchen_url.removesuffix("/mcp") + "/bookmarks", 2)
    for over, server in ("HTTP", url), ("stdio", [fixture, "-stdio"]):
        await cancels(over, server)
    await cancels_agents(url)
    for over, server in ("HTTP", todos_url), ("stdio", [todos, "-mcp"]):
        await exercise(f"mcp 1.x (Python), {over}", server, True, sdk)
        await exercise(f"langchain-mcp-adapters, {over}", server, True, langchain)
        async with agents(server, None) as call:
            failed, text = await call("todos_archive", {})
            assert failed and "not done, since this client cannot be asked" in text, text
        print(f"ok openai-agents, {over}, which has no handler for questions")


asyncio.run(main())
