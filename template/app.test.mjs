// Tests the page at /app/ without a browser and without packages: `node --test app.test.mjs`, with Node 20 or newer.
// The service gives the client; what it would answer is here, as the fetch of the page. A page with a framework is
// tested in the same way by Vitest and jsdom.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

// The folder has the page as it is served: client.js, and app/app.js beside it.
const folder = mkdtempSync(join(tmpdir(), 'todos-'));
after(() => rmSync(folder, { recursive: true }));
before(async () => {
  const program = join(folder, 'todos.exe');
  execFileSync('go', ['build', '-o', program, '.'], { cwd: import.meta.dirname });
  const service = spawn(program, ['-addr', '127.0.0.1:0']);
  const [line] = await once(createInterface(service.stdout), 'line'); // listening on http://…
  const client = await fetch(line.split(' ').at(-1) + '/client.js');
  writeFileSync(join(folder, 'client.js'), await client.text());
  service.kill();
  mkdirSync(join(folder, 'app'));
  cpSync(join(import.meta.dirname, 'app', 'app.js'), join(folder, 'app', 'app.js'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});

/** What the page uses of an element. */
class Element {
  children = [];
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  reset() { this.isReset = true; }
  get text() { return [this.textContent ?? '', ...this.children.map((child) => child.text ?? child)].join(''); }
}

let visits = 0;
/** Opens the page, whose requests get these answers, by verb and path. */
async function open(answers) {
  const elements = {};
  const byID = (id) => elements[id] ??= Object.assign(new Element(), { name: id, elements });
  globalThis.document = { getElementById: (id) => byID(id), createElement: () => new Element() };
  globalThis.location = { href: 'http://todos.test/app/' };
  globalThis.sessionStorage = { getItem: () => null };
  globalThis.fetch = async (url, { method, body }) => answers[`${method} ${new URL(url, location.href).pathname}`]?.(JSON.parse(body)) ?? Response.error();
  for (const id of ['title', 'description', 'todos']) byID(id);
  document.getElementById = (id) => (id.startsWith('todo-') ? undefined : byID(id));
  await import(pathToFileURL(join(folder, 'app', 'app.js')) + `?visit=${++visits}`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  return elements;
}

const page = (data, number) => () => Response.json({ data, page: number, per_page: 20, total: 2, total_pages: 1 });
const end = () => new Response('event: done\ndata: {}\n\n', { headers: { 'Content-Type': 'text/event-stream' } });

test('the list and the stream', async () => {
  const more = () => new Response('id: 2\ndata: {"id":"2","title":"Bread"}\n\nevent: done\ndata: {}\n\n', { headers: { 'Content-Type': 'text/event-stream' } });
  const { todos } = await open({ 'GET /todos': page([{ id: '1', title: 'Milk' }], 1), 'GET /todos/watch': more });
  assert.deepEqual(todos.children.map((line) => line.text), ['MilkEditDelete', 'BreadEditDelete']);
});

test('a violation stands beside its field', async () => {
  const violations = [{ in: 'body', path: '/title', rule: 'minLength', message: 'must have at least 1 character' }];
  const refused = () => Response.json({ error: { code: 'INVALID_ARGUMENT', message: 'invalid input', details: { violations } } }, { status: 400 });
  const elements = await open({ 'GET /todos': page([], 1), 'GET /todos/watch': end, 'POST /todos': refused });
  elements.title.value = elements.description.value = '';
  await elements.create.onsubmit({ preventDefault() {}, target: elements.create });
  assert.equal(elements['title-error'].text, 'must have at least 1 character');
  assert.equal(elements['description-error'].text, '');
  assert.equal(elements.create.isReset, undefined);
});

test('an error that is not about a field is the status', async () => {
  const refused = () => Response.json({ error: { code: 'UNAUTHENTICATED', message: 'a token is missing' } }, { status: 401 });
  const { status, login } = await open({ 'GET /todos': refused });
  assert.deepEqual([status.textContent, login.hidden], ['a token is missing', false]);
});
