// The client of the extension Tasks from npm, and its schemas, against the fixture: over HTTP and
// over standard input and output. The client ends a task at the first member that is not as its
// schemas say, and at a question whose key it has seen with another text.
// Usage: node tasks.mjs URL FIXTURE
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createApplicationInputHandler, resultFromTaskOutcome, withTasks } from '@modelcontextprotocol/ext-tasks/client';
import * as schemas from '@modelcontextprotocol/ext-tasks/core/v2';

const [url, fixture] = process.argv.slice(2);
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tasks', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
let ids = 0;
const framed = ({ method, params = {} }) => ({ jsonrpc: '2.0', id: ++ids, method, params: { ...params, _meta: { ...params._meta, ...meta } } });
const answered = (m) => (m.error ? { kind: 'error', error: m.error } : { kind: 'result', result: m.result });

async function overHTTP(request) {
  const message = framed(request);
  const headers = {
    'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': message.method, 'Mcp-Name': message.params.taskId ?? message.params.name ?? '',
  };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) });
  return answered(await response.json());
}

// overStdio returns a function that sends a request to a process of the fixture, and one that ends it.
function overStdio() {
  const child = spawn(fixture, ['-stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(answered(message));
  });
  const send = (request) => new Promise((resolve) => {
    const message = framed(request);
    waiting.set(message.id, resolve);
    child.stdin.write(`${JSON.stringify(message)}\n`);
  });
  return [send, () => child.stdin.end()];
}

const parsers = {
  'tools/call': ['CreateTaskResultV2Schema', 'CallToolResultV2Schema'],
  'tasks/get': ['GetTaskResultV2Schema'],
  'tasks/update': ['UpdateTaskResultV2Schema'],
  'tasks/cancel': ['CancelTaskResultV2Schema'],
};

// checked wraps a function that sends, and holds each result to the schema of its method.
const checked = (send) => async (request) => {
  const response = await send(request);
  const { result } = response;
  if (result && parsers[request.method] && result.resultType !== 'input_required') {
    const name = parsers[request.method].at(result.resultType === 'task' ? 0 : -1);
    const outcome = schemas[name].safeParse(result);
    assert.ok(outcome.success, `${name} of ${JSON.stringify(result)}: ${JSON.stringify(outcome.error?.issues)}`);
    assert.equal(result.resultType === 'task', request.method === 'tools/call' && 'taskId' in result);
  }
  return response;
};

async function check(over, send) {
  const none = () => () => {};
  const asked = [];
  const session = withTasks(
    {
      endpointId: over, taskCapabilities: { generation: 'v2', capabilities: {} }, invalidated: false,
      dispatch: checked(send), onServerRequest: none, onNotification: none, onInvalidated: none,
    },
    {
      onInputRequest: async (request) => {
        asked.push(request.params.message);
        return { action: 'accept', content: { name: 'Ada', confirm: true } };
      },
    },
  );
  const settle = async (tool, args = {}) => (await (await session.callTool(tool, args)).settle()).outcome;
  const text = async (tool, args) => {
    const { structuredContent, content, isError } = resultFromTaskOutcome(await settle(tool, args));
    return structuredContent?.result ?? `${content[0].text}${isError ? ' (error)' : ''}`;
  };
  assert.equal(await text('greet', { name: 'Ada' }), 'Hello, Ada!');
  assert.equal(await text('slow_compute', { seconds: 1.5, label: 'two\nlines "and" ünï' }), 'two\nlines "and" ünï');
  assert.equal(await text('failing_job'), 'this job always fails, for testing (error)');
  const failed = await settle('protocol_error_job');
  assert.equal(failed.status, 'failed');
  assert.equal(failed.error.code, -32603);
  assert.equal(await text('confirm_delete', { filename: 'a b' }), 'deleted a b');
  assert.equal(await text('multi_input'), 'both answered');
  assert.equal(await text('test_tool_with_task'), 'Hello, Ada!');
  assert.deepEqual(asked.toSorted(), ['Delete a b?', 'Go on?', 'What is your name?', 'What is your name?']);
  const slow = await session.callTool('slow_compute', { seconds: 50 });
  assert.equal(slow.kind, 'task');
  await slow.cancel();
  assert.equal((await session.task(slow.handle.taskId).snapshot()).status, 'cancelled');
  await session.close();
  console.log(`ok ext-tasks over ${over}: results, failures, questions and a cancellation, by its client and its schemas`);
}

await check('HTTP', overHTTP);
const [send, end] = overStdio();
await check('stdio', send);
end();
