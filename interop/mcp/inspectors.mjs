// What the Inspectors make of the fixture, the template and the kitchen: the command lines of
// 0.15 and of 2.12, and mcpdo of 2.12, which keeps connections open in a process of its own
// and so can be asked and can give up a call.
// Usage: node inspectors.mjs URL FIXTURE TEMPLATE_URL TEMPLATE KITCHEN_URL KITCHEN
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkRefs, order, wrong, wrongAt } from './kitchen.mjs';

const [url, fixture, todosURL, todos, kitchenURL, kitchen] = process.argv.slice(2);
const two = 'node_modules/inspector-2';
const { bin } = JSON.parse(readFileSync(join(two, 'package.json')));
const home = mkdtempSync(join(tmpdir(), 'inspector-')); // so that it leaves yours alone
const env = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' };

// run runs a program of Node, and returns what it says, of which the first line that begins with
// { is the first of JSON.
function run(program, ...args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env, timeout: 60_000, maxBuffer: 1 << 24 }, (_, out, err) => {
      const begin = out.search(/^\{/m);
      const text = `${args.join(' ')}: ${out}${err}`;
      let json;
      try {
        json = JSON.parse(out.slice(begin));
      } catch {} // where a test expects JSON it shows the text
      resolve({ json, text });
    });
  });
}

const first = ({ json, text }) => json?.content?.[0]?.text ?? assert.fail(text);

// The command lines, which have nobody to ask and nothing that cancels.
async function commandLine(name, program) {
  const line = (to, method, ...args) => run(program, '--cli', ...to, '--method', method, ...args);
  const overs = { HTTP: (at) => [at, '--transport', 'http'], stdio: (_, program, flag) => [program, flag] };
  for (const [over, to] of Object.entries(overs)) {
    const server = to(url, fixture, '-stdio');
    const { json, text } = await line(server, 'tools/list');
    assert.equal(json?.tools?.length, 42, text);
    const sum = await line(server, 'tools/call', '--tool-name', 'test_add_numbers', '--tool-arg', 'a=1', '--tool-arg', 'b=2');
    assert.deepEqual(sum.json?.structuredContent, { sum: 3 }, sum.text);
    const read = await line(server, 'resources/read', '--uri', 'test://static-text');
    assert.match(read.json?.contents[0].text ?? '', /static text resource/, read.text);
    const refused = await line(to(todosURL, todos, '-mcp'), 'tools/call', '--tool-name', 'todos_archive');
    assert.match(first(refused), /^FAILED_PRECONDITION: not done, since this client cannot be asked/);
    const list = await line(to(kitchenURL, kitchen, '-stdio'), 'tools/list');
    checkRefs(list.json?.tools ?? assert.fail(list.text));
    console.log(`ok ${name}, ${over}`);
  }
}

// A Connection of mcpdo.
class Connection {
  constructor(name) {
    this.name = name;
  }

  run(...args) {
    return run(mcpdo, '--format', 'json', '--connection', this.name, ...args);
  }

  call(tool, args = {}) {
    return this.run('tools/call', tool, JSON.stringify(args));
  }

  async open(...options) {
    const { json, text } = await run(mcpdo, '--format', 'json', '--config', config, 'connect', this.name, ...options);
    assert.equal(json?.protocolEra, this.name.split('-').at(-1), text);
  }

  close() {
    return run(mcpdo, 'disconnect', this.name);
  }
}

// archive lets the user say no, then not yes, then yes to what cannot be undone.
async function archive(connection) {
  await connection.open();
  const { id } = JSON.parse(first(await connection.call('todos_create', { title: 'for the archive' })));
  await connection.call('todos_patch', { id, completed: true });
  const answers = [
    ['not done, since the user said no', '--decline'],
    ['not done, since the user has not said yes', 'yes:=false'],
    [null, 'yes:=true'],
  ];
  for (const [refused, answer] of answers) {
    const { json, text } = await connection.call('todos_archive');
    assert.match(json?.elicitationPending?.message ?? '', /off the list/, text);
    const done = await connection.run('elicitation/respond', json.elicitationPending.elicitationId, answer);
    if (refused) assert.match(first(done), new RegExp(`^FAILED_PRECONDITION: ${refused}`));
    else assert.ok(done.json?.structuredContent?.archived >= 1, done.text);
    const left = first(await connection.call('todos_get', { id }));
    assert.match(left, refused ? /"completed":true/ : /^NOT_FOUND/);
  }
  await connection.close();
  await connection.open('--elicit', 'off');
  assert.match(first(await connection.call('todos_archive')), /^FAILED_PRECONDITION: not done, since this client cannot be asked/);
  await connection.close();
  console.log(`ok mcpdo, ${connection.name}, archive, and without a handler`);
}

// converse answers the three questions of one call, one after the other.
async function converse(connection) {
  await connection.open();
  let got = await connection.call('test_conversation', { about: 'colors' });
  for (const answer of ['name:="Ada"', 'color:="red"', 'ok:=true']) {
    const id = got.json?.elicitationPending?.elicitationId ?? assert.fail(got.text);
    got = await connection.run('elicitation/respond', id, answer);
  }
  assert.equal(first(got), 'colors: Ada, red, true');
  await connection.close();
  console.log(`ok mcpdo, ${connection.name}, three questions`);
}

// counts asks the server over HTTP which calls of test_endless it has.
async function counts() {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'test_ended', arguments: {} } };
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()).result.structuredContent;
}

async function until(enough) {
  let now;
  for (let i = 0; i < 1200; i++) { // 60 s
    now = await counts();
    if (enough(now)) return;
    await sleep(50);
  }
  assert.fail(`of ${now.begun} calls ${now.ended} have ended`);
}

// cancel gives up a call by closing its connection.
async function cancel(connection) {
  await connection.open();
  const call = connection.call('test_endless');
  await until((now) => now.begun > now.ended);
  await connection.close();
  await until((now) => now.begun === now.ended);
  assert.match((await call).text, /closed/);
  console.log(`ok mcpdo, ${connection.name}, cancels`);
}

async function refer(connection) {
  await connection.open();
  const list = await connection.run('tools/list');
  checkRefs(list.json?.tools ?? assert.fail(list.text));
  const right = await connection.call('shipping_echo_order', order);
  assert.deepEqual(right.json?.structuredContent, order, right.text);
  assert.ok(first(await connection.call('shipping_echo_order', wrong)).includes(wrongAt));
  await connection.close();
  console.log(`ok mcpdo, ${connection.name}, $defs`);
}

// entries are the servers by name, each in the two eras.
function entries() {
  const list = {};
  for (const era of ['legacy', 'modern']) {
    for (const [name, at] of Object.entries({ fixture: url, todos: todosURL, kitchen: kitchenURL })) {
      list[`${name}-HTTP-${era}`] = { type: 'http', url: at, protocolEra: era };
    }
    for (const [name, command, flag] of [['fixture', fixture, '-stdio'], ['todos', todos, '-mcp'], ['kitchen', kitchen, '-stdio']]) {
      list[`${name}-stdio-${era}`] = { type: 'stdio', command, args: [flag], protocolEra: era };
    }
  }
  return list;
}

const mcpdo = join(two, bin.mcpdo);
const config = join(home, 'servers.json');
writeFileSync(config, JSON.stringify({ mcpServers: entries() }));
for (const [, name, value] of (await run(mcpdo, 'private')).text.matchAll(/export (\w+)='([^']*)'/g)) env[name] = value;
try {
  assert.ok(env.MCP_INSPECTOR_DAEMON_DIR);
  // Two at a time, for there are two processors: a command takes most of a second.
  await Promise.all(['HTTP', 'stdio'].map(async (over) => {
    for (const era of ['legacy', 'modern']) {
      await archive(new Connection(`todos-${over}-${era}`));
      await refer(new Connection(`kitchen-${over}-${era}`));
      if (over === 'stdio') continue; // where the server ends with its connection
      await converse(new Connection(`fixture-${over}-${era}`));
      await cancel(new Connection(`fixture-${over}-${era}`));
    }
  }));
  await commandLine('Inspector 0.15', 'node_modules/@modelcontextprotocol/inspector/cli/build/cli.js');
  await commandLine('Inspector 2.12', join(two, bin.inspector));
} finally {
  await run(mcpdo, 'daemon', 'stop');
  rmSync(home, { recursive: true, force: true });
}
