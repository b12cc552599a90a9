"""A session of a Python client, for the program trouble, which says what the lines are that
it gets and sends. Usage: trouble.py CLIENT URL, or trouble.py CLIENT COMMAND ARGS"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager


def tell(**line):
    print(json.dumps(line), flush=True)


class User:
    """Answers when the driver says so."""

    def __init__(self):
        self.questions = []

    async def answer(self):
        self.questions.append(asyncio.get_running_loop().create_future())
        tell(asked=len(self.questions))
        await self.questions[-1]
        return {"name": "Ada"}

    def say(self, number):
        if not self.questions[number - 1].done():  # the client has given it up
            self.questions[number - 1].set_result(None)


@asynccontextmanager
async def mcp_2(server, user):
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters
    from mcp_types import ElicitResult

    async def elicit(context, params):
        return ElicitResult(action="accept", content=await user.answer())

    if len(server) > 1:
        server = [StdioServerParameters(command=server[0], args=server[1:])]
    async with Client(server[0], elicitation_callback=elicit) as client:
        async def call(tool, arguments):
            result = await client.call_tool(tool, arguments)
            return not result.is_error, result.content[0].text

        yield call


@asynccontextmanager
async def fastmcp(server, user):
    import fastmcp
    from fastmcp.client.transports import StdioTransport

    async def elicit(message, response_type, params, context):
        return await user.answer()

    to = server[0] if len(server) == 1 else StdioTransport(server[0], server[1:], keep_alive=False)
    async with fastmcp.Client(to, elicitation_handler=elicit) as client:
        async def call(tool, arguments):
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            return not result.is_error, result.content[0].text

        yield call


@asynccontextmanager
async def session_1(server, user):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client
    from mcp.types import ElicitResult

    async def elicit(context, params):
        return ElicitResult(action="accept", content=await user.answer())

    if len(server) == 1:
        transport = streamablehttp_client(server[0])
    else:
        transport = stdio_client(StdioServerParameters(command=server[0], args=server[1:]))
    async with transport as (read, write, *_):
        async with ClientSession(read, write, elicitation_callback=elicit) as session:
            await session.initialize()
            yield session


@asynccontextmanager
async def mcp_1(server, user):
    async with session_1(server, user) as session:
        async def call(tool, arguments):
            result = await session.call_tool(tool, arguments)
            return not result.isError, result.content[0].text

        yield call


@asynccontextmanager
async def google_genai(server, user):
    """The calls that generate_content makes for a model."""
    from google.genai._adapters import McpToGenAiToolAdapter
    from google.genai.types import FunctionCall

    async with session_1(server, user) as session:
        adapter = McpToGenAiToolAdapter(session, await session.list_tools())

        async def call(tool, arguments):
            result = await adapter.call_tool(FunctionCall(name=tool, args=arguments))
            return not result.isError, result.content[0].text

        yield call


@asynccontextmanager
async def langchain(server, user):
    """Has a session for each call."""
    from langchain_mcp_adapters.callbacks import Callbacks
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from mcp.types import ElicitResult

    async def elicit(*_):
        return ElicitResult(action="accept", content=await user.answer())

    if len(server) == 1:
        connection = {"transport": "streamable_http", "url": server[0]}
    else:
        connection = {"transport": "stdio", "command": server[0], "args": server[1:]}
    client = MultiServerMCPClient({"it": connection}, callbacks=Callbacks(on_elicitation=elicit))
    tools = {tool.name: tool for tool in await client.get_tools()}

    async def call(tool, arguments):
        got = await tools[tool].ainvoke(arguments)  # an error is a text, for the model
        text = got if isinstance(got, str) else got[0]["text"]
        return not text.split(":")[0].isupper(), text

    yield call


@asynccontextmanager
async def openai_agents(server, user):
    """Has no handler for questions."""
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp

    if len(server) == 1:
        session = MCPServerStreamableHttp(params={"url": server[0]})
    else:
        session = MCPServerStdio(params={"command": server[0], "args": server[1:]})
    async with session:
        async def call(tool, arguments):
            result = await session.call_tool(tool, arguments)
            return not result.isError, result.content[0].text

        yield call


def text_of(err):
    """What an exception says, or the first one in a group."""
    while isinstance(err, BaseExceptionGroup):
        err = err.exceptions[0]
    return f"{type(err).__name__}: {err}".removesuffix(": ")


async def run(call, line, running):
    try:
        ok, text = await call(line["tool"], json.loads(line["arguments"]))
    except (Exception, asyncio.CancelledError) as err:
        ok, text = False, text_of(err)
    if running.pop(line["id"], None):
        tell(id=line["id"], ok=ok, text=text)


async def main():
    client, *server = sys.argv[1:]
    user, running = User(), {}
    try:
        async with globals()[client](server, user) as call:
            tell(ready=True)
            while text := await asyncio.to_thread(sys.stdin.readline):
                line = json.loads(text)
                if "answered" in line:
                    user.say(line["answered"])
                else:
                    running[line["id"]] = asyncio.create_task(run(call, line, running))
    except Exception as err:  # which the client raises in place of what runs in its session
        while running:
            tell(id=running.popitem()[0], ok=False, text=text_of(err))
        raise


asyncio.run(main())
