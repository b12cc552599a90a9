"""Logs in with the Python SDK and does what a scenario says; the servers keep the log
that counts. Usage: clients.py SERVER ISSUER MODE SCENARIO"""

import asyncio
import sys
from urllib.parse import parse_qs, urlparse

import httpx2
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

server, issuer, mode, scenario = sys.argv[1:]


class Storage:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Login:
    """A user who agrees at once."""

    async def redirect(self, url):
        async with httpx2.AsyncClient() as browser:
            response = await browser.get(url)
        assert response.status_code == 302, response.text
        self.back = parse_qs(urlparse(response.headers["Location"]).query)

    async def callback(self):
        return AuthorizationCodeResult(code=self.back["code"][0], state=self.back["state"][0], iss=self.back["iss"][0])


async def main():
    login = Login()
    path = "/open" if scenario == "open" else "/mcp"
    back = "http://localhost:1/back"
    metadata = OAuthClientMetadata(client_name="python", redirect_uris=[back], token_endpoint_auth_method="none")
    provider = OAuthClientProvider(server + path, metadata, Storage(), login.redirect, login.callback)
    async with create_mcp_http_client(auth=provider) as http:
        async with Client(streamable_http_client(server + path, http_client=http), mode="2026-07-28" if mode == "modern" else "legacy") as client:

            async def call(name, want):
                result = await client.call_tool("notes_" + name, {})
                assert result.structured_content == {"by": want}, result

            assert len((await client.list_tools()).tools) == 4
            if scenario == "open":
                await call("status", "nobody")
                await call("look", "ada")
                await call("status", "ada")
                return
            await call("look", "ada")
            await call("write", "ada")
            await call("look", "ada")
            try:
                await call("clear", "ada")
            except MCPError:
                pass
            else:
                raise AssertionError("a call without its scope succeeded")
            # It refreshes when its clock says so, before the server does.
            provider.context.token_expiry_time = 0
            await call("look", "ada")


asyncio.run(main())
