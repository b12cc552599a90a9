// A session of a TypeScript SDK, for the program trouble, which says what the lines are that it
// gets and sends. Usage: node trouble.mjs 1|2 URL, or node trouble.mjs 1|2 COMMAND ARGS
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { createInterface } from 'node:readline';

const [version, command, ...args] = process.argv.slice(2);
const [Client, HTTP, Stdio, asking] = version === '1'
  ? [Client1, Transport1, Stdio1, ElicitRequestSchema]
  : [Client2, Transport2, Stdio2, 'elicitation/create'];
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const questions = []; // how each of them is answered

const client = new Client({ name: 'svc-interop', version: '1' }, { capabilities: { elicitation: {} } });
client.setRequestHandler(asking, () => new Promise((resolve) => {
  questions.push(() => resolve({ action: 'accept', content: { name: 'Ada' } }));
  tell({ asked: questions.length });
}));
await client.connect(args.length === 0 ? new HTTP(new URL(command)) : new Stdio({ command, args }));
tell({ ready: true });

async function call({ id, tool, arguments: text }) {
  try {
    const { isError, content } = await client.callTool({ name: tool, arguments: JSON.parse(text) });
    tell({ id, ok: !isError, text: content[0].text });
  } catch (err) {
    tell({ id, ok: false, text: `${err.name}: ${err.message}` });
  }
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  if (line.answered) questions[line.answered - 1]();
  else call(line);
}
await client.close();
process.exit(0);
