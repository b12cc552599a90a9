// What the TypeScript SDKs make of the fixture: each client lists, calls, gets an
// error that it can act on, and gets progress. Usage: node clients.mjs URL
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import assert from 'node:assert/strict';

const url = new URL(process.argv[2]);
const info = { name: 'svc-interop', version: '1' };

async function exercise(name, client, transport, call) {
  const problems = [];
  client.onerror = (err) => problems.push(err);
  await client.connect(transport);
  assert.equal(client.getServerVersion()?.name ?? 'fixture', 'fixture');

  const { tools } = await client.listTools();
  assert.equal(tools.length, 14);
  assert.ok(tools.every((tool) => tool.description && tool.inputSchema.type === 'object'));

  const sum = await call('test_add_numbers', { a: 1, b: 2 });
  assert.deepEqual(sum.structuredContent, { sum: 3 });
  assert.deepEqual(JSON.parse(sum.content[0].text), { sum: 3 });

  const echo = await call('test_header_tool', { region: 'Zürich' });
  assert.deepEqual(echo.structuredContent, { region: 'Zürich' });

  const wrong = await call('test_add_numbers', { a: 'one' });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /\/a must be a number\n- \/b is required/);

  const failed = await call('test_error_handling', {});
  assert.equal(failed.isError, true);

  const progress = [];
  const last = await call('test_tool_with_progress', {}, { onprogress: (p) => progress.push(p.progress) });
  assert.deepEqual(progress, [0, 50, 100]);
  assert.deepEqual(last.structuredContent, { sum: 100 });

  await assert.rejects(call('test_no_such_tool', {}));
  await client.close();
  assert.deepEqual(problems, []);
  console.log(`ok ${name}`);
}

{
  const client = new Client1(info);
  await exercise('@modelcontextprotocol/sdk 1.x', client, new Transport1(url),
    (name, args, options) => client.callTool({ name, arguments: args }, undefined, options));
}
for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
  const client = new Client2(info, { versionNegotiation: { mode } });
  await exercise(`@modelcontextprotocol/client 2.x, ${JSON.stringify(mode)}`, client, new Transport2(url),
    (name, args, options) => client.callTool({ name, arguments: args }, options));
}
