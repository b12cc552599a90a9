// Logs in with one of the TypeScript SDKs and does what a scenario says; the servers
// keep the log that counts.
//
//   node clients.mjs SERVER ISSUER SDK MODE SCENARIO
import { UnauthorizedError as Unauthorized1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Transport2, UnauthorizedError as Unauthorized2 } from '@modelcontextprotocol/client';
import assert from 'node:assert/strict';

const [server, issuer, sdk, mode, scenario] = process.argv.slice(2);
const info = { name: 'svc-login', version: '1' };
const Unauthorized = sdk === '1' ? Unauthorized1 : Unauthorized2;

// A Login is an OAuthClientProvider whose user agrees at once.
class Login {
  redirectUrl = 'http://localhost:1/back';
  clientMetadata = {
    client_name: 'typescript', redirect_uris: [this.redirectUrl], response_types: ['code'], token_endpoint_auth_method: 'none',
    grant_types: scenario === 'step' && sdk === '1' ? ['authorization_code'] : ['authorization_code', 'refresh_token'],
  };
  state = () => (this.sent = crypto.randomUUID());
  clientInformation = () => this.client;
  saveClientInformation(client) { this.client = client; }
  tokens = () => this.kept;
  saveTokens(tokens) { this.kept = tokens; }
  codeVerifier = () => this.verifier;
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  async redirectToAuthorization(url) {
    const res = await fetch(url, { redirect: 'manual' });
    assert.equal(res.status, 302, await res.text());
    this.back = new URL(res.headers.get('location')).searchParams;
    assert.equal(this.back.get('state'), this.sent);
  }
  // finish ends a login that an error has begun.
  async finish(err, transport) {
    if (!(err instanceof Unauthorized) || !this.back) throw err;
    await (sdk === '1' ? transport.finishAuth(this.back.get('code')) : transport.finishAuth(this.back));
    this.back = undefined;
  }
}

const login = new Login();
if (sdk === '2') { // which asks for it, so that a code goes to the issuer that has made it
  login.saveDiscoveryState = (state) => { login.discovered = state; };
  login.discoveryState = () => login.discovered;
}
let client, transport;

async function open(path) {
  const url = new URL(server + path);
  transport = sdk === '1' ? new Transport1(url, { authProvider: login }) : new Transport2(url, { authProvider: login });
  client = sdk === '1' ? new Client1(info) : new Client2(info, { versionNegotiation: { mode: mode === 'modern' ? { pin: '2026-07-28' } : 'legacy' } });
  await client.connect(transport);
}

async function connect(path) {
  try {
    await open(path);
  } catch (err) {
    await login.finish(err, transport);
    await open(path); // a client starts a transport once
  }
}

async function call(name, want) {
  const once = async () => (await client.callTool({ name: 'notes_' + name, arguments: {} })).structuredContent;
  try {
    assert.deepEqual(await once(), { by: want });
  } catch (err) {
    await login.finish(err, transport);
    assert.deepEqual(await once(), { by: want });
  }
}

const scenarios = {
  async step() {
    await connect('/mcp');
    assert.equal((await client.listTools()).tools.length, 4);
    await call('look', 'ada');
    await call('write', 'ada');
    await call('look', 'ada');
    await assert.rejects(call('clear', 'ada'));
  },
  async refresh() {
    await connect('/mcp');
    await call('look', 'ada');
    await fetch(issuer + '/expire', { method: 'POST' });
    await call('look', 'ada');
  },
  async open() {
    await connect('/open');
    assert.equal((await client.listTools()).tools.length, 4);
    await call('status', 'nobody');
    await call('look', 'ada');
    await call('status', 'ada');
  },
};

await scenarios[scenario]();
await client.close();
