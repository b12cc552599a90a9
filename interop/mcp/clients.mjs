// What the TypeScript SDKs make of the fixture, over HTTP and over the standard input
// and output of FIXTURE: each client lists, calls, gets an error that it can act on
// and progress, reads a resource and a prompt, completes an argument, cancels a call,
// and answers and declines a question. Then it confirms and declines what the template
// archives, and calls a tool of the kitchen with $defs. The stdio client of 1.x does the
// same through mcp-remote, which forwards it over HTTP.
// Usage: node clients.mjs URL FIXTURE TEMPLATE_URL TEMPLATE KITCHEN_URL KITCHEN
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import { checkRefs, order, wrong, wrongAt } from './kitchen.mjs';

const url = new URL(process.argv[2]);
const program = { command: process.argv[3], args: ['-stdio'] };
const todos = { url: new URL(process.argv[4]), program: { command: process.argv[5], args: ['-mcp'], stderr: 'ignore' } }; // its log
const kitchen = { url: new URL(process.argv[6]), program: { command: process.argv[7], args: ['-stdio'] } };
const info = { name: 'svc-interop', version: '1' };

async function exercise(name, client, transport, call, onAsk) {
  const problems = [];
  const asked = [];
  client.onerror = (err) => err.name === 'AbortError' || problems.push(err); // of the call that is canceled
  onAsk(async ({ params }) => {
    asked.push(params.message);
    if (/confirm/.test(params.message)) return { action: 'decline' };
    const content = /color/.test(params.message) ? { color: 'red' } : /sure/.test(params.message) ? { ok: true } : { name: 'Ada' };
    return { action: 'accept', content };
  });
  await client.connect(transport);
  assert.equal(client.getServerVersion()?.name ?? 'fixture', 'fixture');

  const { tools } = await client.listTools();
  assert.equal(tools.length, 42);
  assert.ok(tools.every((tool) => tool.description && tool.inputSchema.type === 'object'));

  const sum = await call('test_add_numbers', { a: 1, b: 2 });
  assert.deepEqual(sum.structuredContent, { sum: 3 });
  assert.deepEqual(JSON.parse(sum.content[0].text), { sum: 3 });

  const echo = await call('test_header_tool', { region: 'Zürich' });
  assert.deepEqual(echo.structuredContent, { region: 'Zürich' });

  // An MCP App: the tool names a page, which is a resource with the media type of the extension.
  const page = tools.find((tool) => tool.name === 'test_add_numbers')._meta.ui.resourceUri;
  const [app] = (await client.readResource({ uri: page })).contents;
  assert.deepEqual([app.uri, app.mimeType, app._meta.ui.prefersBorder], [page, 'text/html;profile=mcp-app', true]);
  assert.match(app.text, /^<!doctype html>/);
  assert.equal((await client.listResources()).resources.find((r) => r.uri === page).mimeType, app.mimeType);

  const lost = await call('test_add_numbers', { a: 1, b: 2, B_: 3 });
  assert.equal(lost.isError, true);
  assert.match(lost.content[0].text, /\/B_ is not a known property; did you mean "b"\?/);
  assert.ok(tools.every((tool) => tool.inputSchema.properties));

  const key = crypto.randomUUID();
  const write = (text, k) => call('test_write_once', { text, ...(k && { idempotency_key: k }) });
  const first = await write('a', key);
  assert.deepEqual((await write('a', key)).structuredContent, first.structuredContent);
  assert.equal((await write('a', key + '2')).structuredContent.count, first.structuredContent.count + 1);
  assert.match((await write('b', key)).content[0].text, /the idempotency key was used with/);
  assert.match((await write('a')).content[0].text, /\/idempotency_key is required/);
  assert.equal(tools.find((tool) => tool.name === 'test_write_once').annotations.idempotentHint, true);

  const wrong = await call('test_add_numbers', { a: 'one' });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /\/a must be a number, is a string\n- \/b is required/);

  const failed = await call('test_error_handling', {});
  assert.equal(failed.isError, true);
  assert.equal((await call('test_image_content', {})).content[0].type, 'image');
  assert.equal((await call('test_audio_content', {})).content[0].type, 'audio');

  const shapes = { first: { kind: 'circle', name: 'c', radius: 2 }, rest: [{ kind: 'square', side: 1 }, { kind: 'dot' }] };
  assert.deepEqual((await call('test_draw', shapes)).structuredContent, shapes);
  assert.match((await call('test_draw', { first: { kind: 'circle', side: 1 } })).content[0].text, /\/first\/side is not a known property\n- \/first\/radius is required/);
  assert.match((await call('test_draw', { first: { kind: 'line' } })).content[0].text, /\/first\/kind must be one of circle, square, dot/);
  assert.equal((await call('test_get_picture', {})).content[0].mimeType, 'image/png');
  const table = (await call('test_get_table', {})).content[0].resource;
  assert.deepEqual([table.mimeType, table.text], ['text/csv', 'a,b,sum\n1,2,3\n']);

  const progress = [];
  const last = await call('test_tool_with_progress', {}, { onprogress: (p) => progress.push(p.progress) });
  assert.deepEqual(progress, [0, 50, 100]);
  assert.deepEqual(last.structuredContent, { sum: 100 });

  const stop = new AbortController();
  const canceled = call('test_endless', {}, { signal: stop.signal });
  setTimeout(() => stop.abort('enough'), 50);
  await assert.rejects(canceled);
  let calls; // of test_endless, as the server knows them: the client would believe it anyway
  for (let i = 0; i < 1200; i++) { // 60 s
    calls = (await call('test_ended', {})).structuredContent;
    if (calls.begun > 0 && calls.begun === calls.ended) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(calls.begun > 0 && calls.begun === calls.ended, `of ${calls.begun} calls ${calls.ended} have ended`);

  assert.equal((await client.listResources()).resources.length, 5);
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
  const { contents } = await client.readResource({ uri: 'test://template/7/data' });
  assert.equal(JSON.parse(contents[0].text).id, '7');
  await assert.rejects(client.readResource({ uri: 'test://template/missing/data' }));

  assert.equal((await client.listPrompts()).prompts.length, 6);
  const prompt = await client.getPrompt({ name: 'test_styled_prompt', arguments: { style: 'funny', words: '20' } });
  assert.equal(prompt.messages[0].content.text, 'Write 20 words in a funny tone.');
  const done = await client.complete({ ref: { type: 'ref/prompt', name: 'test_styled_prompt' }, argument: { name: 'style', value: 'f' } });
  assert.deepEqual(done.completion.values, ['formal', 'friendly', 'funny']);

  const hello = await call('test_input_required_result_elicitation', {});
  assert.equal(hello.content[0].text, 'Hello, Ada!');
  const declined = await call('test_input_required_result_request_state', {});
  assert.match(declined.content[0].text, /FAILED_PRECONDITION/);
  const talk = await call('test_conversation', { about: 'colors' });
  assert.equal(talk.content[0].text, 'colors: Ada, red, true');
  assert.equal(asked.length, 5);

  await assert.rejects(call('test_no_such_tool', {}));
  await client.close();
  assert.deepEqual(problems, []);
  console.log(`ok ${name}`);
}

// archive lets the user of a client say no and then yes to what cannot be undone.
async function archive(name, client, transport, call, onAsk) {
  const answers = [{ action: 'decline' }, { action: 'accept', content: { yes: false } }, { action: 'accept', content: { yes: true } }];
  onAsk(async () => answers.shift());
  await client.connect(transport);
  const todo = (await call('todos_create', { title: 'for the archive' })).structuredContent;
  await call('todos_patch', { id: todo.id, completed: true });
  for (const said of ['said no', 'not said yes']) {
    const refused = await call('todos_archive', {});
    assert.ok(refused.isError && refused.content[0].text.startsWith('FAILED_PRECONDITION') && refused.content[0].text.includes(said), JSON.stringify(refused));
    assert.ok((await call('todos_get', { id: todo.id })).structuredContent.completed);
  }
  assert.ok((await call('todos_archive', {})).structuredContent.archived >= 1);
  assert.match((await call('todos_get', { id: todo.id })).content[0].text, /NOT_FOUND/);
  assert.equal(answers.length, 0);
  await client.close();
  console.log(`ok ${name}, archive`);
}

// unasked is what a client gets that has no handler for questions.
async function unasked(name, client, transport, call) {
  await client.connect(transport);
  const refused = await call('todos_archive', {});
  assert.match(refused.content[0].text, /^FAILED_PRECONDITION: not done, since this client cannot be asked/);
  await client.close();
  console.log(`ok ${name}, as it is configured by default`);
}

// refer calls a tool with $defs. The clients validate its output after they have the list.
async function refer(name, client, transport, call) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  checkRefs(tools);
  const right = await call('shipping_echo_order', order);
  assert.deepEqual(right.structuredContent, order);
  const refused = await call('shipping_echo_order', wrong);
  assert.ok(refused.isError && refused.content[0].text.includes(wrongAt), JSON.stringify(refused));
  await client.close();
  console.log(`ok ${name}, $defs`);
}

const overs = [['HTTP', (HTTP, _, to) => new HTTP(to.url)], ['stdio', (_, Stdio, to) => new Stdio(to.program)]];
const places = [[{ url, program }, exercise], [todos, archive], [todos, unasked], [kitchen, refer]];
const remote = (to) => ({ command: process.execPath, args: ['node_modules/mcp-remote/dist/proxy.js', to.url.href, '--allow-http', '--silent'], stderr: 'ignore' });
for (const [to, run] of places) {
  for (const [over, transport] of [...overs, ['mcp-remote', (_, Stdio, to) => new Stdio(remote(to))]]) {
    const client = new Client1(info, { capabilities: run === unasked ? {} : { elicitation: {} } });
    await run(`@modelcontextprotocol/sdk 1.x, ${over}`, client, transport(Transport1, Stdio1, to),
      (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
      (answer) => client.setRequestHandler(ElicitRequestSchema, answer));
  }
  for (const mode of [undefined, 'legacy', 'auto', { pin: '2026-07-28' }]) {
    for (const [over, transport] of overs) {
      const client = new Client2(info, {
        ...(mode && { versionNegotiation: { mode } }),
        capabilities: run === unasked ? {} : { elicitation: {}, extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } },
      });
      await run(`@modelcontextprotocol/client 2.x, ${over}, ${JSON.stringify(mode) ?? 'default'}`, client, transport(Transport2, Stdio2, to),
        (name, args, options) => client.callTool({ name, arguments: args }, options),
        (answer) => client.setRequestHandler('elicitation/create', answer));
    }
  }
}
