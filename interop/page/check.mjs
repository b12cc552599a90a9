// Opens each page in Chromium, or in Firefox, and uses it as people do. Every page must
// keep its console empty and stay on its host; Chromium itself says in the console when
// an answer is an error, and each step names the statuses that it expects. Firefox, which
// is slower here, leaves out what does not depend on the browser.
//
// With -screenshots DIRECTORY it also saves what the pages look like.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {chromium, firefox} from 'playwright-core';
import {PNG} from 'pngjs';

const [base, option, directory, only] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const inFirefox = !!process.env.FIREFOX;
const downloads = mkdtempSync(join(tmpdir(), 'page-'));
const launchFirefox = (firefoxUserPrefs) => firefox.launch({channel: 'moz-firefox', executablePath: process.env.FIREFOX, downloadsPath: downloads, firefoxUserPrefs});
const darkFirefox = inFirefox && await launchFirefox({'layout.css.prefers-color-scheme.content-override': 0}); // no page of it can be told to be dark
const browser = inFirefox
	? await launchFirefox()
	: await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox']});


let failed = 0;

// step opens a page and uses it. statuses are the errors that it expects, expected
// what else may stand in the console.
async function step(name, path, use, {statuses = [], expected, ...options} = {}) {
	if (only && !name.includes(only)) return;
	const context = await (inFirefox && options.colorScheme === 'dark' ? darkFirefox : browser).newContext({viewport: {width: 1280, height: 900}, ...options});
	const page = await context.newPage();
	page.setDefaultTimeout(60_000);
	const bad = [], sent = [];
	page.on('console', (m) => {
		const status = /the server responded with a status of (\d+)/.exec(m.text());
		if (!expected?.test(m.text()) && (!status || !statuses.includes(Number(status[1])))) bad.push(`console ${m.type()}: ${m.text().slice(0, 500)}`);
	});
	// For a picture playwright adds a style, of which Firefox says that the page forbids it.
	page.on('pageerror', (e) => { if (!expected?.test(e.name) && !(option === '-screenshots' && /style-src-elem/.test(e.message))) bad.push(`error: ${e.name} ${e.message} ${e.stack}`); });
	page.on('dialog', (d) => { bad.push('dialog: ' + d.message()); d.dismiss(); });
	page.on('request', (r) => {
		sent.push(r);
		if (!expected && !r.url().startsWith(base + '/') && !r.url().startsWith('data:,')) bad.push('request to ' + r.url());
	});
	const began = performance.now();
	try {
		const response = await page.goto(base + path);
		await use(page, {sent, response});
		assert.equal(await page.evaluate(() => globalThis.hacked), undefined, 'a text ran');
	} catch (e) {
		bad.push(e.stack);
		if (option === '-screenshots') await page.screenshot({path: join(directory, 'failed.png')});
	}
	await context.close();
	const took = Math.round(performance.now() - began);
	console.log(`${bad.length ? 'FAILED' : 'ok'}: ${name} (${took} ms)`);
	for (const b of bad) console.log('    ' + b.replaceAll('\n', '\n    '));
	if (bad.length) failed++;
}

const op = (page, id) => page.locator(`[id="${id}"]`);
// unfold opens the section of types, or of errors, that has o.
const unfold = (page, o) => o.evaluate((e) => { const fold = e.closest('.fold'); if (fold) fold.open = true; });
const open = async (page, id) => {
	const o = op(page, id);
	await unfold(page, o);
	await o.locator('summary').first().click();
	const content = o.locator(':scope > div');
	// An answer that is drawn above while Firefox clicks moves the line away from under the mouse.
	await content.waitFor({state: 'attached', timeout: 5000}).catch(() => o.locator('summary').first().click());
	await content.waitFor({state: 'attached'});
	return o;
};
const over = (o, transport) => o.getByRole('radio', {name: transport, exact: true}).check();
const box = (o, name) => o.locator('form').getByRole('textbox', {name: new RegExp('^' + name + ' ')});
// complaint returns what stands at a field.
const complaint = (page, o, name) => o.locator('.field', {has: page.getByRole('textbox', {name: new RegExp('^' + name + ' ')})}).locator('.bad').innerText();
const send = async (o, good = true) => {
	await o.getByRole('button', {name: 'Send'}).click();
	await o.locator(`.out [role=status].${good ? 'good' : 'bad'}`).waitFor();
	return o.locator('.out [role=status]').innerText();
};
const answer = async (o) => JSON.parse(await o.locator('.out pre').first().innerText());
const result = async (o, transport) => { // what the method returned
	const a = await answer(o);
	return transport === 'REST' ? a : transport === 'MCP' ? a.result.structuredContent : a.result;
};
const accessible = async (page) => {
	if (inFirefox) return; // it would find the same
	await page.evaluate(axe);
	const found = await page.evaluate(() => axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}));
	assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.length} times, ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary}`), []);
};
const picture = (page, name) => option === '-screenshots' && page.screenshot({path: join(directory, name + '.png')});

const app = '/app/deep/';
const giveToken = async (page, token) => {
	await page.locator('.login > summary').click();
	await page.getByLabel('Token').fill(token);
	await page.keyboard.press('Enter');
	await page.getByText('Signed in with a bearer token').waitFor();
};

// Every service passes all of this. secured is a method that needs a token, with its
// fields; at one of them bad gives the complaint says. stream has a stream that does
// not end by itself, of which feed makes events where it makes none itself.
for (const t of [
	{name: 'the template', path: '/tokens/', secured: 'todos_Create', weak: 'reader', fields: {title: 'Buy milk'}, field: 'description', bad: 'x'.repeat(2001), good: 'soon', says: /at most 2000 characters/, stream: 'todos_Watch', feed: 'todos_Create'},
	{name: 'the kitchen sink', path: '/sink/', secured: 'extras_Rename', fields: {id: '7', name: 'saw'}, field: 'name', bad: '', good: 'axe', says: /at least 1 character/, stream: 'extras_Tick'},
	{name: '500 methods', path: '/many/', secured: 'extras_Rename', fields: {id: '7', name: 'saw'}, field: 'name', bad: 'x'.repeat(81), good: 'axe', says: /at most 80 characters/, stream: 'extras_Tick', colorScheme: 'dark'},
]) {
	await step(`a deep link, a token, a violation, a stream and accessibility: ${t.name}`, t.path + '#' + t.secured, async (page, {sent}) => {
		const o = op(page, t.secured);
		await o.getByRole('button', {name: 'Send'}).waitFor();
		assert.equal(sent.length, 1, 'a deep link sent something');
		for (const [name, value] of Object.entries(t.fields)) await box(o, name).fill(value);
		for (const transport of ['REST', 'JSON-RPC', 'MCP']) {
			await over(o, transport);
			assert.match(await send(o, false), transport === 'JSON-RPC' ? /: UNAUTHENTICATED$/ : /^401/);
			await o.getByRole('button', {name: 'Give them'}).waitFor();
			assert.equal((await o.locator('.out h4').innerText()), 'Answer over ' + transport);
		}
		await giveToken(page, 'wrong');
		assert.match(await send(o, false), /^401/);
		if (t.weak) {
			await giveToken(page, t.weak); // without the scope
			assert.match(await send(o, false), /^403/);
			assert.match(await o.locator('.out pre').first().innerText(), /lacks a scope: todos:write/);
		}
		await giveToken(page, 'open-sesame');
		for (const transport of ['REST', 'JSON-RPC', 'MCP']) {
			await over(o, transport);
			await send(o);
			await box(o, t.field).fill(t.bad);
			await send(o, false);
			assert.match(await complaint(page, o, t.field), t.says);
			assert(await box(o, t.field).evaluate((e) => e === document.activeElement), 'the field has no focus');
			await box(o, t.field).fill(t.good);
			assert.equal(await complaint(page, o, t.field), '', 'the complaint stays');
			assert.equal((await result(o, transport).catch(() => null))?.[t.field], undefined);
			await send(o);
			assert.equal((await result(o, transport))[t.field], t.good);
		}
		const w = await open(page, t.stream);
		await w.getByRole('button', {name: 'Send'}).click();
		await w.locator('.out [role=status]', {hasText: /waiting for events|events so far/}).waitFor();
		if (t.feed) await send(op(page, t.feed));
		await w.locator('.out ol li').first().waitFor();
		await w.getByRole('button', {name: 'Stop'}).click();
		await w.locator('.out [role=status]', {hasText: /stopped after [1-9]/}).waitFor();
		await over(w, 'JSON-RPC');
		assert.equal(await w.locator('.out').innerText(), '', 'the answer over REST stays');
		await w.getByRole('button', {name: 'Send'}).click();
		await w.getByText('It comes when the stream ends.').waitFor();
		await w.getByRole('button', {name: 'Stop'}).click();
		await w.locator('.out [role=status]', {hasText: /^Stopped after/}).waitFor();
		await box(w, 'count').fill('1');
		if (!t.feed) assert.equal((await (await send(w), answer(w))).result.items.length, 1);
		await accessible(page);
		assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the screen');
	}, {statuses: [400, 401, 403], colorScheme: t.colorScheme});
}

await step('a union: an alternative is chosen, filled in, refused at its field and sent', '/sink/#sinks_EchoChoices', async (page) => {
	const o = op(page, 'sinks_EchoChoices');
	await o.getByRole('button', {name: 'Send'}).waitFor();
	const one = o.locator('form fieldset').filter({hasText: /^one/}).first();
	const choice = one.getByRole('combobox').first();
	assert.deepEqual(await choice.locator('option').allInnerTexts(), ['choose…', 'text', 'number', 'nested', 'none']);
	await choice.selectOption('number');
	assert.equal(await one.getByRole('textbox', {name: /^color /}).count(), 0, 'a field of another alternative');
	await one.getByRole('textbox', {name: /^id /}).fill('7');
	const value = one.getByRole('textbox', {name: /^value /});
	for (const transport of ['REST', 'JSON-RPC', 'MCP']) {
		await over(o, transport);
		await value.fill('-11');
		await send(o, false);
		assert.match(await complaint(page, o, 'value'), /at least -10/);
		await value.fill('2.5');
		await send(o);
		assert.deepEqual((await result(o, transport)).one, {type: 'number', id: 7, value: 2.5, exact: true});
	}
	await o.getByRole('button', {name: 'Edit as JSON'}).click(); // and back: the alternative is found by its value
	await o.getByLabel('The body as JSON').fill('{"one":{"value":"abc","id":1,"type":"text"}}');
	await o.getByRole('button', {name: 'Edit as a form'}).click();
	assert.equal(await choice.locator('option:checked').innerText(), 'text');
	assert.equal(await value.inputValue(), 'abc');
	await accessible(page);
}, {statuses: [400]});

await step('a newcomer at 1280 x 800', app, async (page) => {
	const inView = (l) => l.evaluate((e) => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; });
	const hash = () => page.evaluate(() => location.hash);
	let o = await open(page, 'todos_Create');
	assert.equal(await hash(), '#todos_Create', 'the address does not name the method');
	await box(o, 'title').click();
	await page.keyboard.type('Buy milk');
	await page.keyboard.press('Enter');
	await o.locator('.out .good').waitFor();
	assert(await inView(o.locator('.out')), 'the answer is not in view');
	assert(await inView(o.getByRole('button', {name: 'Send'})), 'the button is not in view any more');
	await over(o, 'MCP');
	assert.equal(await o.locator('.out').innerText(), '', 'the answer over REST stays');
	await page.reload();
	o = op(page, 'todos_Create');
	await o.getByRole('button', {name: 'Send'}).waitFor();
	await o.locator('summary').first().click();
	o = await open(page, 'todos_Update');
	assert.equal(await hash(), '#todos_Update');
	await o.locator('form').getByText('Without it the last writer wins.').waitFor();
	await box(o, 'id').fill('1');
	await box(o, 'title').fill('Buy oat milk');
	await box(o, 'If-Match').fill('"ü"');
	await o.getByRole('button', {name: 'Send'}).click();
	assert.match(await complaint(page, o, 'If-Match'), /^cannot stand in a header/);
	await box(o, 'If-Match').fill('"old"');
	assert.match(await send(o, false), /^412/);
	await page.emulateMedia({media: 'print'});
	await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
	await op(page, 'todos_List').getByText('per_page').first().waitFor();
	assert.equal(await hash(), '#todos_Update', 'printing changes the address');
}, {viewport: {width: 1280, height: 800}, statuses: [412]});

await step('absent, null and a value in a patch', app, async (page) => {
	const choose = (o, name, label) => o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: new RegExp('^' + name + ' ')})}).getByRole('combobox').first().selectOption({label});
	let o = await open(page, 'todos_Create');
	await box(o, 'title').fill('Tea');
	await box(o, 'description').fill('green');
	await send(o);
	const {id} = await answer(o);
	await o.locator('.out summary', {hasText: 'Headers'}).click();
	const etag = /etag: (.*)/.exec(await o.locator('.out details pre').innerText())[1];
	o = await open(page, 'todos_Patch');
	for (const transport of ['REST', 'JSON-RPC', 'MCP']) {
		await over(o, transport);
		await box(o, 'id').fill(id);
		if (transport === 'REST') await box(o, 'If-Match').fill(etag);
		await choose(o, 'description', 'null');
		await send(o);
		assert.equal((await result(o, transport)).description, undefined);
		await choose(o, 'description', 'string');
		await box(o, 'description').fill('black');
		if (transport === 'REST') {
			assert.match(await send(o, false), /^412/); // the ETag is that of the todo before
			await box(o, 'If-Match').fill('');
		}
		await send(o);
		assert.equal((await result(o, transport)).description, 'black');
		await choose(o, 'description', 'not sent');
		await choose(o, 'completed', 'boolean');
		await o.getByRole('combobox', {name: /^completed boolean/}).last().selectOption({label: 'true'});
		await send(o);
		const todo = await result(o, transport);
		assert.equal(todo.completed && todo.description, 'black');
		await choose(o, 'completed', 'not sent');
	}
}, {statuses: [412]});

// Parts that follow each other in what is shown of a method, and lines of the Markdown.
await step('the sink shows everything', '/sink/', async (page) => {
	const shown = async (id, ...parts) => {
		const o = await open(page, id);
		const text = (await o.innerText()).replace(/\s+/g, ' ');
		for (const part of parts) assert(text.includes(part), `${id} has no ${part} in ${text}`);
		await o.locator('summary').first().click();
	};
	await shown('sinks_Archive', 'deprecated', 'Deprecated: it may go away.', '202 Accepted', 'Public: needs no credentials.', 'JSON-RPC method sinks.archive', 'MCP tool sinks_archive');
	await shown('sinks_Make', '203 Non-Authoritative Information', 'ETag string, in the header Of what was made.', 'Location string, in the header', 'Set-Cookie string', 'X-Count integer (int32), in the header at least 0', 'X-Ratio number', '400 Bad Request', 'any other');
	await shown('sinks_Seek', 'X-Tenant string, in the header Whose sinks. must match the pattern ^[a-z]+$', 'X-Trace integer (int32), in the header', 'theme string, in the cookie one of "light", "dark"', 'visits integer (int32), in the cookie', 'default 1');
	await shown('sinks_EchoOptional', 'word string or null Null, or at least two characters. at least 2 characters', 'thing Inner or null', 'many array of integer (int32) or null');
	await shown('sinks_EchoBounds', 'between integer (int64) required From -10 to 10. at least -10; at most 10; for example 3', 'seventh integer (int64) required a multiple of 7', 'colour string one of "red", "green", "blue"; default "red"', 'names array of string at least 1 item; at most 3 items; must not have the same item twice');
	await shown('sinks_Watch', 'stream', 'Server-sent events.', 'Inner, one an event, as text/event-stream', 'Last-Event-ID integer (int64), in the header');
	await shown('extras_Rename', 'needs credentials', 'Needs a bearer token with items:write.', 'mood Mood one of "calm", "wild"', 'moods array of Mood at most 2 items; each: one of "calm", "wild"', 'codes array of string each: must match the pattern ^[A-Z]+$', 'note string or null', '401 Unauthorized', '403 PERMISSION_DENIED: the caller lacks a scope: items:write', 'X-Note string, in the header A word.');
	await shown('extras_Rename', 'plate string Two capital letters and three digits at most 5 characters wait string a duration, such as 1m30s age integer (int32) size integer (int32) at least 1 count string an integer, in a string');
	await shown('extras_Purge', 'deprecated', '202 Accepted', 'Needs a bearer token with items:write, items:purge.');
	await shown('seconds_Create', 'POST /v2/', '400 Bad Request Problem as application/problem+json');
	await page.locator('#errors').click();
	const errors = (await page.getByRole('region', {name: 'Errors'}).innerText()).replace(/\s+/g, ' ');
	for (const part of ['NOT_FOUND 404 -32005', 'UNAUTHENTICATED 401 -32016', 'over MCP an error is a result with isError']) assert(errors.includes(part), part);

	const o = await open(page, 'extras_Rename'); // an enum is a list to choose from, of items too
	assert.deepEqual(await o.getByRole('combobox', {name: /^mood /}).locator('option').allInnerTexts(), ['not sent', 'calm', 'wild']);
	assert.deepEqual(await o.getByRole('combobox', {name: /^rank /}).locator('option').allInnerTexts(), ['not sent', '1: for all', '2: for few']); // with what they mean
	assert.equal(await o.getByText('How rare.').first().innerText(), 'How rare.\n\n- 1: for all\n- 2: for few'); // a list keeps its lines
	const moods = o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^moods /})}).first();
	await moods.getByRole('checkbox').check();
	await moods.getByRole('button', {name: 'Add an item'}).click();
	assert.deepEqual(await moods.getByRole('combobox').locator('option').allInnerTexts(), ['choose…', 'calm', 'wild']);

	const markdown = await (await page.request.get(base + '/sink/llms.txt')).text();
	for (const line of [
		'Deprecated: it may go away.', '- answer 202: Accepted', '- answer 203: Non-Authoritative Information, `Made` as application/json', '  - header `ETag`, which is `etag` (required)',
		'- input: `Seek`: `tenant` as `X-Tenant` (over JSON-RPC and MCP `tenant`), `trace` as `X-Trace` (of REST only) in the header; `theme`, `visits` (of REST only) in the cookie',
		'  /** Whose sinks. Must match the pattern ^[a-z]+$. */', '  theme?: "light" | "dark";', '  /** Null, or at least two characters. Must have at least 2 characters. */', '  word?: string | null;',
		'  /** Must have at most 2 items. */', '  moods?: Mood[];', 'export type Mood = "calm" | "wild";', '  /** Each item must match the pattern ^[A-Z]+$. */', '- needs credentials: bearer, with the scopes items:write items:purge', '- public: needs no credentials',
		'- JSON-RPC method: `extras.rename`', '- MCP tool: `extras_rename`', '| NOT_FOUND | 404 | -32005 |',
	]) assert(markdown.split('\n').includes(line), `the Markdown has no line ${line}`);
});

await step('hints and rules of a form, and what is wrong in lists', '/sink/#extras_Rename', async (page) => {
	let o = op(page, 'extras_Rename');
	await o.getByRole('button', {name: 'Send'}).waitFor();
	const lines = (name) => o.locator('.field', {has: page.getByRole('textbox', {name: new RegExp('^' + name + ' ')})}).locator('.hint.text > div').allInnerTexts();
	assert.deepEqual(await lines('X-Note'), ['A word.']);
	assert.deepEqual(await lines('plate'), ['Two capital letters and three digits', 'at most 5 characters']); // without the regular expression
	assert.deepEqual(await lines('wait'), ['a duration, such as 1m30s']);
	assert.deepEqual(await lines('age'), []); // int32 says its bounds
	assert.deepEqual(await lines('size'), ['at least 1']);
	assert.deepEqual(await lines('count'), ['an integer, in a string']);
	o = await open(page, 'sinks_EchoLists');
	await send(o, false);
	const ints = o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^ints /})}).first();
	assert.equal(await ints.locator(':scope > .bad').innerText(), 'must have at least 1 item');
	assert.equal(await ints.getAttribute('aria-invalid'), 'true');
	assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Add an item');
	await accessible(page);
}, {statuses: [400], colorScheme: 'dark'});

for (const transport of ['REST', 'JSON-RPC', 'MCP']) {
	await step(`a todo over ${transport}, behind a prefix`, app, async (page, {sent}) => {
		let o = await open(page, 'todos_Create');
		assert.equal(sent.length, 1, 'the page sent something by itself');
		await over(o, transport);
		await box(o, 'title').fill('');
		await send(o, false);
		assert.match(await complaint(page, o, 'title'), /at least 1 character/);
		assert.equal(await box(o, 'title').getAttribute('aria-invalid'), 'true');
		assert(await box(o, 'title').evaluate((e) => e === document.activeElement), 'the field has no focus');
		await box(o, 'title').fill('Buy "milk" & it\'s <b>late</b>');
		await box(o, 'description').fill('two\nlines');
		assert.match(await send(o), /^200 .* ms$/);
		assert.equal(await box(o, 'title').getAttribute('aria-invalid'), null);
		const todo = await result(o, transport);
		assert.equal(todo.title, 'Buy "milk" & it\'s <b>late</b>');
		assert.equal(todo.description, 'two\nlines');
		const command = await o.locator('pre.curl').innerText();
		assert(command.includes(base + app + {REST: 'todos', 'JSON-RPC': 'rpc', MCP: 'mcp'}[transport]) && command.includes(`it'\\''s`), command);

		o = await open(page, 'todos_List');
		await over(o, transport);
		await box(o, 'per_page').fill('0');
		await send(o, false);
		assert.match(await complaint(page, o, 'per_page'), /at least 1/);
		await box(o, 'per_page').fill('100');
		await send(o);
		assert((await result(o, transport)).data.some((t) => t.id === todo.id));

		o = await open(page, 'todos_Get');
		await over(o, transport);
		await box(o, 'id').fill(todo.id);
		await send(o);
		assert.equal((await result(o, transport)).id, todo.id);
		await box(o, 'If-None-Match').fill('*'); // which over the others is nowhere
		assert.match(await send(o), transport === 'REST' ? /^304 / : /^200 /);

		o = await open(page, 'todos_Update');
		await over(o, transport);
		await box(o, 'id').fill(todo.id);
		await box(o, 'title').fill('Buy oat milk');
		await o.getByRole('combobox', {name: /^completed /}).selectOption({label: 'true'});
		await send(o);
		assert.equal((await result(o, transport)).completed, true);

		if (await op(page, 'todos_Patch').count()) {
			o = await open(page, 'todos_Patch');
			await over(o, transport);
			await box(o, 'id').fill(todo.id);
			const title = o.locator('fieldset', {has: page.locator('legend', {hasText: /^title /})});
			if (await title.count()) await title.getByRole('combobox').selectOption({label: 'string'});
			await o.getByRole('textbox', {name: /^title /}).fill('Buy rice milk');
			await send(o);
			assert.equal((await result(o, transport)).title, 'Buy rice milk');
		}

		o = await open(page, 'todos_Delete');
		await over(o, transport);
		await box(o, 'id').fill(todo.id);
		await send(o);
		await send(o, false);
		assert.match(await o.locator('.out').innerText(), /NOT_FOUND/);
	}, {statuses: [400, 404]});
}

await step('a call in TypeScript and Go', app + '#todos_Create', async (page) => {
	const client = page.getByRole('link', {name: 'TypeScript client'});
	assert.equal(new URL(await client.getAttribute('href'), page.url()).href, base + app + 'client.ts');
	let o = op(page, 'todos_Create');
	const shown = o.locator('pre.curl'), language = (name) => o.getByLabel('Language').selectOption(name);
	await box(o, 'title').fill('Buy "milk"\u2028');
	await language('TypeScript');
	assert.equal(await shown.innerText(), `import { connect } from "./client.ts";\n\nconst api = connect({ url: "${base + app}" });\nconst out = await api.todos.create({\n  title: "Buy \\"milk\\"\\u2028"\n});`);
	await box(o, 'title').fill('Tea'); // what is shown follows the form
	assert.match(await shown.innerText(), /title: "Tea"/);
	await over(o, 'MCP'); // and does not depend on the transport
	assert.match(await shown.innerText(), /title: "Tea"/);
	await language('Go');
	assert.match(await shown.innerText(), /out, err := client\.Create\(ctx, &CreateTodo\{Title: "Buy milk"\}\)$/);
	await language('curl');
	assert.match(await shown.innerText(), /^curl /);
	o = await open(page, 'todos_Update');
	for (const [name, value] of [['id', '7'], ['If-Match', '"x"'], ['title', 'a']]) await box(o, name).fill(value);
	await o.getByLabel('Language').selectOption('TypeScript');
	assert.match(await o.locator('pre.curl').innerText(), /update\(\{\n  id: "7",\n  ifMatch: "\\"x\\"",\n  title: "a",\n  completed: false\n\}\);$/);
	o = await open(page, 'todos_Watch');
	await o.getByLabel('Language').selectOption('TypeScript');
	assert.match(await o.locator('pre.curl').innerText(), /for await \(const item of api\.todos\.watch\(\)\) console\.log\(item\);$/);
	o = await open(page, 'todos_Import');
	await o.getByLabel('Language').selectOption('TypeScript');
	assert.match(await o.locator('pre.curl').innerText(), /import\(\{\n  table: file\n\}\);$/);
	await accessible(page);
});

await step('a stream is watched and stopped', app, async (page) => {
	const o = await open(page, 'todos_Watch');
	await o.getByRole('button', {name: 'Send'}).click();
	await o.locator('.out [role=status]', {hasText: /waiting for events/}).waitFor();
	const other = await open(page, 'todos_Create');
	for (const title of ['one', 'two']) {
		await box(other, 'title').fill(title);
		await send(other);
		await o.locator('.out ol li', {hasText: title}).waitFor();
	}
	assert.match(await o.locator('.out [role=status]').textContent(), /2 events so far/); // out of view, where Firefox has no innerText
	await o.getByRole('button', {name: 'Stop'}).click();
	await o.locator('.out [role=status]', {hasText: /stopped after 2 events/}).waitFor();
	assert(await o.getByRole('button', {name: 'Stop'}).isHidden());
	await box(o, 'count').fill('2');
	await box(o, 'Last-Event-ID').fill('0');
	assert.match(await send(o), /2 events, then done/);
	await over(o, 'JSON-RPC');
	await send(o);
	assert.equal((await answer(o)).result.items.length, 2);
	await box(o, 'count').fill(''); // without an end
	await o.getByRole('button', {name: 'Send'}).click();
	await o.getByRole('button', {name: 'Stop'}).click();
	await o.locator('.out [role=status]', {hasText: /^Stopped after/}).waitFor();
});

await step('a prompt is no tool', app, async (page) => {
	const o = await open(page, 'todos_PlanDay');
	await o.getByText('MCP prompt').waitFor();
	assert(!/400 Error/.test(await o.innerText()));
	assert.equal(await o.getByRole('button', {name: 'Fill in an example'}).count(), 0);
	assert.equal(await o.getByRole('radio', {name: 'MCP', exact: true}).count(), 0); // tools/call knows no prompts
});

await step('a deep link opens its method and sends nothing', app + '#todos_Update', async (page, {sent}) => {
	const o = op(page, 'todos_Update');
	await o.getByRole('button', {name: 'Send'}).waitFor();
	assert(await o.locator('summary').first().evaluate((e) => e === document.activeElement));
	await page.waitForTimeout(200);
	assert.equal(sent.length, 1);
	await page.evaluate(() => { location.hash = '#todos_Get'; });
	await op(page, 'todos_Get').getByRole('button', {name: 'Send'}).waitFor();
	await op(page, 'todos_Get').getByRole('link', {name: 'Todo', exact: true}).click();
	await op(page, 'type:Todo').getByText('createdAt').waitFor();
	assert.equal(sent.length, 1);
});

await step('by keyboard only', app, async (page) => {
	await page.keyboard.press('Tab');
	assert.match(await page.evaluate(() => document.activeElement.textContent), /Skip/);
	await page.keyboard.press('/');
	await page.keyboard.type('todos_Archive');
	await page.getByText(/^1 of /).waitFor();
	for (let i = 0; i < 4 && !(await page.evaluate(() => document.activeElement.tagName === 'A' && location.hash === '' && document.activeElement.hash === '#todos_Archive')); i++) await page.keyboard.press('Tab');
	await page.keyboard.press('Enter');
	const o = op(page, 'todos_Archive');
	await o.getByRole('button', {name: 'Send'}).waitFor();
	for (let i = 0; i < 20 && !(await o.getByRole('button', {name: 'Send'}).evaluate((e) => e === document.activeElement)); i++) await page.keyboard.press('Tab');
	await page.keyboard.press('Enter');
	await o.locator('.out .good').waitFor();
	await page.keyboard.press('/');
	await page.keyboard.press('Escape');
	assert(await op(page, 'todos_Get').isVisible());

	// From the search to an answer, with a mistake, over another transport, and the call in Go.
	const focused = (what) => page.evaluate((w) => document.activeElement.matches(w), what);
	const tabTo = async (what) => {
		for (let i = 0; i < 12 && !(await focused(what)); i++) await page.keyboard.press('Tab');
		assert(await focused(what), `Tab does not reach ${what}`);
	};
	await page.keyboard.type('todos_Create');
	await page.getByText(/^1 of /).waitFor();
	await page.keyboard.press('Enter'); // opens what was found
	const create = op(page, 'todos_Create');
	await create.getByRole('button', {name: 'Send'}).waitFor();
	assert(await focused('[id="todos_Create"] > summary'), 'the method that was found has no focus');
	await tabTo('[type=radio]');
	await page.keyboard.press('ArrowRight');
	assert(await create.getByRole('radio', {name: 'JSON-RPC'}).isChecked());
	await tabTo('textarea, input:not([type=radio])');
	await page.keyboard.press('Control+Enter');
	await create.locator('.out .bad', {hasText: /INVALID_ARGUMENT/}).waitFor();
	assert(await focused('[aria-invalid=true]'), 'the field has no focus');
	const said = await page.evaluate(() => document.activeElement.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).innerText));
	assert.match(said[0], /must have at least 1 character/); // a screen reader says what is wrong before the rules
	await page.keyboard.type('Tea');
	await page.keyboard.press('Control+Enter');
	await create.locator('.out .good').waitFor();
	await tabTo('[aria-label=Language]');
	await page.keyboard.press('G');
	await create.locator('pre.curl', {hasText: 'client.Create'}).waitFor();
	await tabTo('pre.curl'); // where it can be scrolled
	assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Code');
});

// A rule of the page, such as content-visibility, can cut a ring off where no rule of axe sees it.
await step('a ring around what has the focus', app, async (page) => {
	if (inFirefox) return; // for a picture playwright adds a style, which the page forbids
	for (const what of ['[id="todos_Create"] > summary', 'nav li a', '#search, [type=search]']) {
		const e = page.locator(what).first();
		await e.scrollIntoViewIfNeeded();
		const box = await e.boundingBox(), by = 5;
		const clip = {x: Math.floor(box.x - by), y: Math.floor(box.y - by), width: Math.ceil(box.width + 2 * by), height: Math.ceil(box.height + 2 * by)};
		const look = async () => PNG.sync.read(await page.screenshot({clip, animations: 'disabled'}));
		await e.evaluate((node) => node.blur());
		const before = await look();
		await page.keyboard.press('Tab'); // from here on the focus is one of the keyboard
		await e.focus();
		const after = await look();
		const changed = (x, y) => [0, 1, 2].some((i) => before.data[4 * (y * before.width + x) + i] !== after.data[4 * (y * before.width + x) + i]);
		// In the middle of each side, the line from the edge of the picture to its inside crosses the ring.
		const {width, height} = before, deep = [...Array(2 * by).keys()];
		const sides = {
			top: deep.some((d) => changed(width >> 1, d)), bottom: deep.some((d) => changed(width >> 1, height - 1 - d)),
			left: deep.some((d) => changed(d, height >> 1)), right: deep.some((d) => changed(width - 1 - d, height >> 1)),
		};
		assert.deepEqual(sides, {top: true, bottom: true, left: true, right: true}, what);
	}
});

await step('methods in the order of their sources, and the documents', app, async (page, {sent}) => {
	const order = ['create', 'list', 'feed', 'get', 'update', 'patch', 'delete', 'archive', 'watch', 'plan day', 'import', 'export']; // of the sources
	const ids = order.map((name) => 'todos_' + name.replace(/(^| )./g, (c) => c.trim().toUpperCase()));
	assert.deepEqual(await page.locator('main section').first().locator('.op').evaluateAll((list) => list.map((e) => e.id)), ids);
	const links = page.locator('nav .list > div').first().locator('li a');
	assert.deepEqual(await links.evaluateAll((list) => list.map((e) => e.hash.slice(1))), ids);
	assert.equal(await links.first().locator('span:not(.verb)').textContent(), 'Add a todo'); // the first sentence of the method's comment
	const link = await page.getByRole('link', {name: 'Markdown', exact: true}).first().evaluate((a) => a.href);
	const markdown = await (await page.request.get(link)).text();
	assert.deepEqual([...markdown.matchAll(/^- JSON-RPC method: `todos\.(.*)`$/gm)].map((m) => m[1].replace('_', ' ')), order.filter((name) => !/port$/.test(name))); // files are over REST only
	assert.match(markdown, /^OpenAPI is served at `openapi\.json`, relative to this page; add `\?openapi=3\.1` for code generators\.$/m);
	for (const version of ['3.1', '3.2', '3.0.3']) { // below the prefix, as a browser follows the link
		const link = await page.getByRole('link', {name: 'OpenAPI ' + version, exact: true}).evaluate((e) => e.href);
		assert(link.startsWith(base + app), link);
		const document = await (await page.request.get(link)).json();
		assert(document.openapi.startsWith(version), document.openapi);
	}
	assert.deepEqual(await page.locator('header a').allInnerTexts(), ['OpenAPI 3.1', 'OpenAPI 3.2', 'OpenAPI 3.0.3', 'Markdown', 'TypeScript client']);
	assert.equal(sent.length, 1);
});

await step('search', '/sink/', async (page) => {
	const search = page.getByRole('searchbox');
	await search.fill('exclusively nothing');
	await page.getByText('Nothing matches "exclusively nothing"').waitFor();
	assert(await page.getByRole('region', {name: 'Errors'}).isHidden());
	await search.fill('failed_precondition'); // only in the table of errors
	await page.getByRole('region', {name: 'Errors'}).waitFor();
	await search.fill('');
	await page.evaluate(() => scrollTo(0, 1e6));
	await search.fill('quarter'); // a field of one type
	assert(await op(page, 'sinks_EchoFloats').locator('summary').first().evaluate((e) => e.getBoundingClientRect().top >= 0 && e.getBoundingClientRect().bottom <= innerHeight));
	assert(await op(page, 'sinks_EchoFloats').isVisible());
	assert(await op(page, 'sinks_Create').isHidden());
	await search.fill('TOOL handle');
	assert(await op(page, 'tools_ReadTool').isVisible());
	assert(await op(page, 'sinks_EchoFloats').isHidden());
});

await step('credentials', '/secret/', async (page, {sent}) => {
	const o = await open(page, 'items_Get');
	await o.getByText('Needs a bearer token, or a user and password, or an API key in the header X-Api-Key.').waitFor();
	await box(o, 'id').fill('7');
	assert.match(await send(o, false), /^401/);
	await o.getByRole('button', {name: 'Give them'}).click();
	await page.keyboard.type('open-sesame');
	await page.keyboard.press('Enter');
	await page.getByText('Signed in with a bearer token').waitFor();
	await page.keyboard.press('Enter'); // on Send, where the call goes on
	await o.locator('.out .good').waitFor();
	for (const transport of ['REST', 'JSON-RPC', 'MCP']) {
		await over(o, transport);
		await send(o);
		assert.equal((await result(o, transport)).id, '7');
	}
	const command = await o.locator('pre.curl').innerText();
	assert(command.includes('Bearer $TOKEN') && !command.includes('sesame'), command);
	await page.getByText('Signed in with a bearer token').click();
	await page.getByLabel('Kind').selectOption('basic');
	await page.getByLabel('User', {exact: true}).fill('ada');
	await page.getByLabel('Password').fill('pass:wörd');
	await page.getByRole('button', {name: 'Use for calls'}).click();
	await send(o);
	assert.match(await sent.at(-1).headerValue('authorization'), /^Basic /);
	assert(!(await page.content()).includes('wörd'), 'the password is in the page');
	await page.getByText('Signed in as ada').click();
	assert.deepEqual(await page.getByLabel('Kind').locator('option').allTextContents(), ['Bearer token', 'User and password (Basic)', 'API key (X-Api-Key)']);
	await page.getByLabel('Kind').selectOption('apiKey');
	await page.getByLabel('Key', {exact: true}).fill('open-key');
	await page.getByRole('button', {name: 'Use for calls'}).click();
	await page.getByText('Signed in with an API key').waitFor();
	for (const transport of ['REST', 'JSON-RPC', 'MCP']) {
		await over(o, transport);
		await send(o);
		assert.equal((await result(o, transport)).id, '7');
		assert.equal(await sent.at(-1).headerValue('x-api-key'), 'open-key');
		assert.equal(await sent.at(-1).headerValue('authorization'), null);
		const line = await o.locator('pre.curl').innerText();
		assert(line.includes('-H "X-Api-Key: $API_KEY"') && !line.includes('open-key'), line);
	}
	assert(!(await page.content()).includes('open-key'), 'the key is in the page');
	assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]), [0, 0, '']);
	await page.reload();
	await page.getByText('Sign in', {exact: true}).waitFor();
}, {statuses: [401]});

await step('every kind of field', '/sink/', async (page, {sent}) => {
	for (const id of ['sinks_Create', 'sinks_EchoBounds', 'sinks_EchoFloats', 'sinks_EchoTexts', 'sinks_EchoLists', 'sinks_EchoMaps', 'sinks_EchoOptional', 'sinks_EchoFlat', 'sinks_EchoTree', 'sinks_Update', 'sinks_Patch', 'sinks_List', 'tools_ReplaceTool', 'sinks_Forget', 'sinks_Pages']) {
		const o = await open(page, id);
		const example = o.getByRole('button', {name: 'Fill in an example'}); // where there is anything to fill in
		if (await example.count()) await example.click();
		for (const transport of ['REST', 'JSON-RPC', 'MCP']) {
			await over(o, transport);
			try { await send(o); } catch { assert.fail(`the example of ${id} over ${transport}: ${await o.locator('.out').innerText()}`); }
		}
		await o.locator('summary').first().click(); // closes it
	}

	// Numbers go to the server and come back digit by digit.
	let o = await open(page, 'sinks_Create');
	await over(o, 'REST');
	await box(o, 'int64').fill('9007199254740993');
	await box(o, 'uint64').fill('18446744073709551615');
	await send(o);
	assert.match(await o.locator('.out pre').first().innerText(), /"int64": 9007199254740993,[^]*"uint64": 18446744073709551615,/);
	await box(o, 'int8').fill('128');
	await box(o, 'uint8').fill('x');
	await send(o, false);
	assert.match(await complaint(page, o, 'int8'), /must/);
	assert.match(await complaint(page, o, 'uint8'), /must/);

	// A recursive type, a list in it, and a violation inside of both.
	o = await open(page, 'sinks_EchoTree');
	await over(o, 'JSON-RPC');
	const children = o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^children /})}).first();
	await children.getByRole('checkbox').check();
	await children.getByRole('button', {name: 'Add an item'}).click();
	await children.getByRole('button', {name: 'Add an item'}).first().click();
	await children.getByRole('textbox', {name: /^value /}).first().fill('1');
	await children.getByRole('textbox', {name: /^value /}).last().fill('300');
	await send(o, false);
	assert.equal(await children.locator('[aria-invalid=true]').count(), 1);
	await children.getByRole('textbox', {name: /^value /}).last().fill('30');
	await send(o);
	assert.deepEqual((await answer(o)).result.children.map((c) => c.value), [1, 30]);

	// A map, and the same as JSON and back.
	o = await open(page, 'sinks_EchoMaps');
	await over(o, 'REST');
	const ints = o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^ints /})}).first();
	await ints.getByRole('button', {name: 'Add an entry'}).click();
	await ints.getByRole('textbox', {name: /^name /}).fill('a/b');
	await ints.getByRole('textbox', {name: /^value /}).fill('7');
	await send(o);
	assert.deepEqual((await answer(o)).ints, {'a/b': 7});
	await ints.getByRole('textbox', {name: /^value /}).fill('70000');
	await send(o, false);
	assert.equal(await ints.locator('[aria-invalid=true]').count(), 1);
	await o.getByRole('button', {name: 'Edit as JSON'}).click();
	const text = o.getByRole('textbox', {name: 'The body as JSON'});
	assert.equal(JSON.parse(await text.inputValue()).ints['a/b'], 70000);
	await text.fill((await text.inputValue()).replace('70000', '8'));
	await send(o);
	await o.getByRole('button', {name: 'Edit as a form'}).click();
	assert.equal(await ints.getByRole('textbox', {name: /^value /}).inputValue(), '8');
	const command = o.locator('pre.curl');
	assert((await command.innerText()).includes('"a/b":8'));
	await o.getByRole('button', {name: 'Edit as JSON'}).click();
	await text.fill('{"ints":{"x":1},"extra":{"y":2}}');
	await o.getByRole('button', {name: 'Edit as a form'}).click();
	await o.getByText('The form cannot hold /extra').waitFor();
	assert(await text.isVisible() && (await command.innerText()).includes('"y":2'));
	await text.fill('{"ints":[]}');
	await o.getByRole('button', {name: 'Edit as a form'}).click();
	await o.getByText('The form cannot hold /ints').waitFor();
	await text.fill('{"ints":{"x":1}}');
	await o.getByRole('button', {name: 'Edit as a form'}).click();
	assert(await text.isHidden() && (await command.innerText()).includes('"x":1'));

	// Every digit of a number, from JSON to the form and back.
	o = await open(page, 'sinks_EchoFloats');
	await o.getByRole('button', {name: 'Edit as JSON'}).click();
	const digits = '0.12345678901234567890123';
	await o.getByRole('textbox', {name: 'The body as JSON'}).fill(`{"between":${digits},"inside":5e-1,"tenth":1.0,"quarter":0.25,"oneOf":1,"both":1,"unique":[1.50,-0]}`);
	await o.getByRole('button', {name: 'Edit as a form'}).click();
	assert.equal(await box(o, 'between').inputValue(), digits);
	assert.equal(await box(o, 'inside').inputValue(), '5e-1');
	assert((await o.locator('pre.curl').innerText()).includes(`{"between":${digits},"inside":5e-1,"tenth":1.0,"quarter":0.25,"oneOf":1,"both":1,"unique":[1.50,-0]}`));

	// Null, absent and a value.
	o = await open(page, 'sinks_EchoOptional');
	await over(o, 'REST');
	const perhaps = o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^pointer /})}).first().getByRole('combobox').first();
	await perhaps.selectOption({label: 'null'});
	await send(o);
	assert.equal((await answer(o)).pointer, null);
	await perhaps.selectOption({index: 1});
	await o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^pointer /})}).getByRole('textbox').fill('5');
	await send(o);
	assert.equal((await answer(o)).pointer, 5);

	// What the URL has: a list, dots, slashes.
	o = await open(page, 'sinks_List');
	await over(o, 'REST');
	const tags = o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^tag /})}).first();
	await tags.getByRole('checkbox').check();
	for (const tag of ['a&b', 'ü/?']) {
		await tags.getByRole('button', {name: 'Add an item'}).click();
		await tags.getByRole('textbox').last().fill(tag);
	}
	await send(o);
	assert.deepEqual(new URL(sent.at(-1).url()).searchParams.getAll('tag'), ['a&b', 'ü/?']);
	o = await open(page, 'sinks_Update');
	await over(o, 'REST');
	const before = sent.length;
	await box(o, 'id').fill('..');
	await o.getByRole('button', {name: 'Send'}).click();
	await o.getByText('cannot stand in a path').waitFor();
	assert.equal(await o.locator('.out').innerText(), 'Not sent.');
	assert((await o.locator('pre.curl').innerText()).includes('/{id}'));
	assert.equal(sent.length, before);
}, {statuses: [400]});

// The best of three tries counts: other work on the machine does not.
await step('files', '/files/', async (page, {sent}) => {
	const photo = {name: 'my photo.png', mimeType: 'image/png', buffer: Buffer.from('\x89PNG of a thing')};
	const set = await open(page, 'photos_SetPhoto');
	assert.match(await set.innerText(), /A file as image\/(png or image\/jpeg|jpeg or image\/png)[^]*A picture of the thing\. At most 1000000 bytes\./);
	await box(set, 'id').fill('7');
	assert.match(await set.locator('.curl').innerText(), /-X PUT[^]*-T FILE/);
	await set.getByRole('button', {name: 'Send'}).click();
	assert.match(await set.locator('.field', {has: page.locator('input[type=file]')}).locator('.bad').innerText(), /choose a file/);
	assert(await set.locator('input[type=file]').evaluate((e) => e === document.activeElement), 'the field has no focus');
	await set.locator('input[type=file]').setInputFiles(photo);
	assert.match(await set.locator('.curl').innerText(), /image\/png[^]*-T 'my photo.png'/);
	await accessible(page);
	assert.match(await send(set), /^200/);
	assert.deepEqual(await answer(set), {size: photo.buffer.length});
	assert.equal(await set.getByRole('button', {name: 'Edit as JSON'}).count(), 0);

	const get = await open(page, 'photos_GetPhoto');
	await box(get, 'id').fill('7');
	assert.match(await send(get), /^200/);
	const save = async (link) => { // what the browser saves
		if (inFirefox) { // playwright does not hear of a blob that Firefox saves
			await link.click();
			const saved = () => readdirSync(downloads, {recursive: true}).filter((name) => name.endsWith('.png') && statSync(join(downloads, name)).size > 0); // it is empty at first
			for (let i = 0; i < 1200 && !saved().length; i++) await page.waitForTimeout(50);
			const [name] = saved(), content = readFileSync(join(downloads, name));
			rmSync(join(downloads, name));
			return [name, content];
		}
		const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
		return [download.suggestedFilename(), readFileSync(await download.path())];
	};
	assert.deepEqual(await save(get.getByRole('link', {name: 'Save the file'})), ['größe 1;x=y.png', photo.buffer]);

	// A page sends a File as the body of fetch, and links to a file.
	await page.goto(base + '/files/own');
	assert.equal(await page.evaluate(async () => (await fetch('photos/7', {method: 'PUT', body: new File(['own'], 'x', {type: 'image/jpeg'})})).status), 200);
	assert.deepEqual(await save(page.locator('#save')), ['größe 1;x=y.png', Buffer.from('own')]);

	// Seeking in a medium asks for a range. A browser may drop a request for another one,
	// so nothing waits for the response of each.
	const statuses = [];
	page.on('response', (r) => { if (r.url().endsWith('/sound')) statuses.push(r.status()); });
	await page.evaluate(() => new Promise((done, failed) => {
		const v = document.querySelector('#v');
		v.onseeked = done;
		v.onerror = () => failed(new Error(v.error.message));
		v.onloadedmetadata = () => { v.currentTime = 290; };
		v.load();
	}));
	const parts = sent.filter((r) => r.url().endsWith('/sound')).map((r) => r.headers().range);
	for (let i = 0; i < 1200 && !statuses.includes(206); i++) await page.waitForTimeout(50);
	assert(parts.some((r) => r && r !== 'bytes=0-') && statuses.includes(206), JSON.stringify({parts, statuses}));
}, {acceptDownloads: true});

await step('forms', '/forms/', async (page) => {
	const order = await open(page, 'forms_Order');
	assert.match(await order.innerText(), /as application\/x-www-form-urlencoded[^]*It can also be multipart\/form-data/);
	await box(order, 'title').fill('Käse & Brot');
	await box(order, 'big').fill('9007199254740993');
	assert.match(await order.locator('.curl').innerText(), /--data-urlencode 'title=Käse & Brot'[^]*--data-urlencode big=9007199254740993/);
	const ordered = {title: 'Käse & Brot', tags: [], count: null, gift: false, big: '9007199254740993'};
	for (const transport of ['REST', 'JSON-RPC', 'MCP']) {
		await over(order, transport);
		assert.match(await send(order), /^200/);
		assert.deepEqual(await result(order, transport), ordered, transport);
	}
	await over(order, 'REST');
	await box(order, 'title').fill('x');
	assert.match(await send(order, false), /^400/);
	assert.match(await complaint(page, order, 'title'), /must have at least 2 characters/);

	const attach = await open(page, 'forms_Attach');
	await box(attach, 'title').fill('@x');
	assert.match(await send(attach), /^200/);
	assert.deepEqual(await answer(attach), {title: '@x', name: '', type: '', size: 0, end: ''});
	await attach.locator('input[type=file]').setInputFiles({name: 'größe "1".png', mimeType: 'image/png', buffer: Buffer.from('abc')});
	assert.match(await attach.locator('.curl').innerText(), /--form-string title=@x[^]*-F 'file=@größe "1".png;type=image\/png'/);
	await accessible(page);
	assert.match(await send(attach), /^200/);
	assert.deepEqual(await answer(attach), {title: '@x', name: 'größe "1".png', type: 'image/png', size: 3, end: 'abc'}); // as browsers write quotes

	// Forms of a page without scripts, and FormData.
	const submit = async (id) => {
		const [response] = await Promise.all([page.waitForResponse((r) => r.request().method() === 'POST'), page.locator(`#${id} button`).click()]);
		const text = await response.text();
		await page.goto(base + '/forms/own');
		return [response.status(), JSON.parse(text)];
	};
	await page.goto(base + '/forms/own');
	assert.deepEqual(await submit('plain'), [200, {title: 'Käse & Brot', tags: ['a b', 'ü+'], count: null, gift: true, big: '0'}]);
	assert.deepEqual(await submit('parts'), [200, {title: 'two\r\nlines', tags: [], count: 3, gift: false, big: '0'}]);
	assert.deepEqual(await submit('file'), [200, {title: 't', name: '', type: '', size: 0, end: ''}]);
	await page.locator('#file [type=file]').setInputFiles({name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('one')});
	assert.deepEqual(await submit('file'), [200, {title: 't', name: 'a.txt', type: 'text/plain', size: 3, end: 'one'}]);
	await page.locator('#wrong [type=file]').setInputFiles({name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('one')});
	const [status, {error}] = await submit('wrong');
	assert.deepEqual([status, error.details.violations[0].path, error.details.violations[0].rule], [400, '/title', 'order']);
	assert.deepEqual(await page.evaluate(async () => {
		const form = new FormData();
		form.append('title', 'by a script');
		form.append('file', new Blob(['xyz'], {type: 'a/b'}), 'b');
		return (await fetch('attach', {method: 'POST', body: form})).json();
	}), {title: 'by a script', name: 'b', type: 'a/b', size: 3, end: 'xyz'});

	if (inFirefox) return;
	// A file of 1 GiB costs the server no memory.
	const large = join(downloads, 'large.bin');
	writeFileSync(large, '');
	truncateSync(large, (1 << 30) - 3);
	appendFileSync(large, 'end');
	const peak = async () => Number(await page.evaluate(async () => (await fetch('peak')).text()));
	const before = await peak();
	await page.locator('#file [type=file]').setInputFiles(large);
	const [response] = await Promise.all([page.waitForResponse((r) => r.request().method() === 'POST', {timeout: 300_000}), page.locator('#file button').click({noWaitAfter: true})]);
	assert.deepEqual(await response.json(), {title: 't', name: 'large.bin', type: 'application/octet-stream', size: 1 << 30, end: 'end'});
	rmSync(large);
	await page.goto(base + '/forms/own');
	const more = await peak() - before;
	assert(more < 64 << 10, `1 GiB took ${more} KiB`);
	console.log(`1 GiB in a form took ${more} KiB of memory`);
}, {statuses: [400, 404]}); // 404: an answer that is shown as a page has no icon

if (!inFirefox) await step('500 methods within a second', '/many/', async (page) => {
	let best = Infinity;
	for (let i = 0; i < 3 && best >= 1000; i++) {
		let began = performance.now();
		await page.goto(base + '/many/');
		const o = await open(page, 'things_77_Create');
		await o.getByRole('button', {name: 'Send'}).waitFor();
		const ready = performance.now() - began;
		began = performance.now();
		await page.getByRole('searchbox').fill('thing number 42 of');
		await page.getByText(/^1 of /).waitFor();
		const found = performance.now() - began;
		console.log(`    a form is open after ${Math.round(ready)} ms, a method found after ${Math.round(found)} ms`);
		best = Math.min(best, Math.max(ready, found));
	}
	assert(best < 5000);
});

await step('hostile texts are text', '/hostile/', async (page) => {
	for (const id of ['nasties_Create', 'nasties_Get', 'nasties_Watch', 'nasties_Fail', 'nasties_Lock']) {
		const o = await open(page, id);
		const example = o.getByRole('button', {name: 'Fill in an example'});
		if (await example.count()) await example.click();
		await o.getByRole('button', {name: 'Send'}).click();
		await o.locator('.out .good, .out .bad').first().waitFor();
	}
	assert.match(await op(page, 'nasties_Lock').innerText(), /<\/script><script>window\.hacked=9/); // a scope
	await op(page, 'nasties_Lock').locator('pre.curl', {hasText: /lock\?%3Cb%3E%E2%80%AE%26%22q'=%3C%2Fscript%3E|lock\?%3Cb%3E%E2%80%AE%26%22q%27=%3C%2Fscript%3E/}).waitFor();
	const create = op(page, 'nasties_Create');
	const text = create.getByRole('combobox', {name: /^<img src=x onerror=window\.hacked=4> /});
	assert.deepEqual(await text.locator('option').allTextContents(), ['choose…', '<script>window.hacked=5</script>', 'b']);
	await text.selectOption({index: 0});
	await send(create, false);
	assert.match(await create.locator('.field', {has: page.getByRole('combobox', {name: /^<img /})}).locator('.bad').innerText(), /required/);
	const free = create.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^free /})}).first().getByRole('combobox').first();
	for (let i = 1; i <= 6; i++) { await free.selectOption({index: i}); await create.locator('pre.curl').innerText(); }
	await page.evaluate(() => document.querySelectorAll('.fold').forEach((f) => { f.open = true; }));
	for (const summary of await page.locator('[id^="type:"] > summary').all()) await summary.click();
	for (let i = 0; i < 3; i++) await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; d.fill?.(); }));
	assert.equal(await page.locator('img, script:not(#data):not(:last-child), iframe').count(), 0);
	assert.match(await page.locator('h1').innerText(), /<\/script><script>window.hacked=1/);
	assert(!/[\u202e\u2066]/.test(await page.locator('body').innerText()), 'a text turns the one around it');
	const hidden = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
	const markdown = await (await page.request.get(base + '/hostile/llms.txt')).text();
	assert(!hidden.test(markdown), 'a text turns or hides a part of the Markdown');
	for (const line of markdown.replace(/^```(?:sh|ts)\n[^]*?\n```$/gm, '').split('\n')) {
		const outside = line.replace(/\\[^]|(`+)(?!`)[^]*?[^`]\1(?!`)/g, (part, fence) => (fence ? '' : part)); // an escaped fence is none
		assert(!/(?<!\\)<|\]\(/.test(outside), `the Markdown has ${outside.slice(0, 300)}`);
	}
	assert.deepEqual([...markdown.matchAll(/^#+ .{9}/gm)].map((m) => m[0]).filter((h) => !/^(# \\<\/script|## nasties|## Types|## Errors|### (GET|POST|Error|Free|Nasty|Violation))/.test(h + '\n')), []);
	await picture(page, 'hostile');
	await page.getByRole('searchbox').fill('hacked');
	await page.getByText(/^[1-9]\d* of /).waitFor();
	await op(page, 'nasties_Get').getByRole('button', {name: /^Show all \d+/}).first().click();
}, {statuses: [400, 403, 409]});

await step('a key is kept until the form changes', '/keys/', async (page, {sent}) => {
	const o = await open(page, 'items_Create');
	const key = () => box(o, 'Idempotency-Key').inputValue();
	// replayed sends the form and reports whether the answer is that of an earlier call.
	const replayed = async (expected) => {
		await send(o);
		const r = sent.at(-1);
		assert.equal(await r.headerValue('idempotency-key'), expected);
		return (await (await r.response()).headerValue('idempotent-replayed')) === 'true';
	};
	await box(o, 'id').fill('7');
	await box(o, 'name').fill('lamp');
	const first = await key();
	assert.match(first, /^(\d+-){3}\d+$/);
	assert.equal(await o.locator('.field', {has: page.getByRole('textbox', {name: /^Idempotency-Key /})}).locator('.hint.text > div').last().innerText(), 'at least 1 character; at most 255 characters; visible ASCII characters');
	assert.equal(await replayed(first), false);
	assert.equal(await replayed(first), true);
	await over(o, 'MCP'); // the same call, over another transport
	await send(o);
	if (!inFirefox) assert.equal(JSON.parse(sent.at(-1).postData()).params.arguments.idempotency_key, first); // which says no bodies
	await over(o, 'JSON-RPC');
	assert.equal(await replayed(first), true);
	await over(o, 'REST');

	await box(o, 'name').fill('chair');
	const second = await key();
	assert.notEqual(second, first);
	assert.equal(await replayed(second), false);
	const tags = o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^tags /})}).first();
	await tags.getByRole('checkbox').check();
	await tags.getByRole('button', {name: 'Add an item'}).click();
	await tags.getByRole('textbox').last().fill('red');
	await replayed(await key());
	const third = await key();
	await tags.getByRole('button', {name: 'Remove'}).click();
	assert.notEqual(await key(), third);
	await box(o, 'Idempotency-Key').fill(first); // of another input
	assert.match(await send(o, false), /^422 /);
	await box(o, 'name').fill('lamp');
	assert(![first, second, third].includes(await key()));
}, {statuses: [422]});

await step('what OpenAPI 3.1 has and svc does not write', '/general/', async (page) => {
	let o = await open(page, 'things_Make');
	const text = await o.innerText();
	for (const part of ['deprecated', 'Needs a bearer token with read, write.', 'Location string, in the header', 'Where it is.', 'Changes with it.', 'must match the pattern ^"[a-z]+"$', '201 Made.', '403 The scope write is missing.',
		'any other It broke.', 'Square or Circle', 'n integer, in the path required', 'at least 9007199254740993', 'X-List array of string, in the header deprecated', 'session string, in the cookie', 'at least 2 characters', 'integer or null', 'The one around it.']) {
		assert(text.replace(/\s+/g, ' ').includes(part), `${part} is not in ${text}`);
	}
	await o.getByRole('button', {name: 'Fill in an example'}).click();
	await box(o, 'If-Match').fill('"tag"');
	await box(o, 'session').fill('s1');
	const list = o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^X-List /})}).first();
	await list.getByRole('checkbox').check();
	for (const v of ['one', 'two']) {
		await list.getByRole('button', {name: 'Add an item'}).click();
		await list.getByRole('textbox').last().fill(v);
	}
	assert.match(await send(o), /^201 /);
	assert.deepEqual(await answer(o), {uri: '/general/things/a%2Fb/9007199254740993', list: ['one, two'], match: '"tag"', body: '{"side":1}'});
	await o.locator('.out summary', {hasText: 'Headers'}).click();
	await o.getByText('location: /things/1').waitFor();
	assert((await o.locator('pre.curl').innerText()).includes('-b session=s1'));
	const body = o.locator('fieldset', {has: page.locator(':scope > legend', {hasText: /^body /})}).first();
	await body.getByRole('combobox').first().selectOption({label: 'Circle'});
	await body.getByRole('textbox', {name: /^radius /}).fill('18446744073709551615');
	await send(o);
	assert.equal((await answer(o)).body, '{"radius":18446744073709551615}');

	o = await open(page, 'get/open');
	await o.getByText('Public: needs no credentials.').waitFor();
	await send(o);
	o = await open(page, 'either');
	await o.getByText('Public: needs no credentials, and takes key.').waitFor();
	await o.getByRole('button', {name: 'Fill in an example'}).click();
	await send(o);
	assert.deepEqual(JSON.parse((await answer(o)).body)[0], 7);
	await open(page, 'type:Circle');
	assert.match(await op(page, 'type:Circle').innerText(), /not: {"required":\["side"\]}[^]*at most 18446744073709551615/);
	await accessible(page);
});

await step('a page that may not call anything', '/read/', async (page, {sent}) => {
	const o = await open(page, 'sinks_Create');
	await o.getByText('uint64').first().waitFor();
	assert.equal(await page.locator('form, button').count(), 0);
	assert.equal(sent.length, 1);
});

await step('the policy forbids everything else', app, async (page, {response}) => {
	const violated = await page.evaluate(async () => {
		const list = [];
		document.addEventListener('securitypolicyviolation', (e) => list.push(e.effectiveDirective));
		for (const run of [() => { document.body.innerHTML = '<b>text</b>'; }, () => { const e = document.createElement('script'); e.append('globalThis.hacked = 7'); document.head.append(e); }, () => document.body.setAttribute('onclick', 'globalThis.hacked = 8'),
			() => document.body.setAttribute('style', 'color: red'), () => { const e = document.createElement('img'); e.src = '/x.png'; document.body.append(e); }, () => { const e = document.createElement('iframe'); e.src = '/'; document.body.append(e); }, () => eval('1')]) try { run(); } catch { /* refused */ }
		await fetch('http://127.0.0.1:1/').catch(() => {});
		document.body.click();
		await new Promise((done) => { setTimeout(done, 300); });
		return [...new Set(list)].sort();
	});
	assert.deepEqual(violated, ['connect-src', 'frame-src', 'img-src', 'require-trusted-types-for', 'style-src-attr']);
	const policy = response.headers()['content-security-policy'];
	for (const part of ["default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]) assert(policy.includes(part), policy);
	assert(!policy.includes('unsafe'), policy);
}, {expected: /Content.Security.Policy|TrustedHTML|TrustedScript|127\.0\.0\.1:1/});

await step('the same as Markdown', app, async (page) => {
	const text = await (await page.request.get(base + app + 'llms.txt')).text();
	const accepted = await page.request.get(base + app, {headers: {Accept: 'text/markdown'}});
	assert.equal(await accepted.text(), text);
	assert.match(accepted.headers()['content-type'], /^text\/markdown/);
	for (const line of text.matchAll(/^curl .*$/gm)) assert(line[0].includes('"$URL/'), line[0]);
});

for (const [name, path, options] of [
	['light', app, {}], ['dark', app, {colorScheme: 'dark'}], ['phone', app, {viewport: {width: 375, height: 812}}], ['phone-dark', '/secret/', {viewport: {width: 375, height: 812}, colorScheme: 'dark'}],
	['sink', '/sink/', {}], ['sink-phone-dark', '/sink/', {viewport: {width: 375, height: 812}, colorScheme: 'dark'}],
]) {
	await step(`looks and accessibility: ${name}`, path, async (page) => {
		assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), options.colorScheme === 'dark' ? 'rgb(20, 24, 29)' : 'rgb(255, 255, 255)');
		await picture(page, name);
		await accessible(page);
		const ids = path === app ? ['todos_Create', 'todos_Watch', 'type:Todo'] : path === '/secret/' ? ['items_Create'] : ['sinks_EchoTree', 'sinks_EchoMaps', 'sinks_EchoLists', 'sinks_EchoFree', 'sinks_EchoOptional', 'type:Tree'];
		for (const id of ids) {
			const o = await open(page, id);
			const example = o.getByRole('button', {name: 'Fill in an example'});
			if (await example.count()) await example.click();
			if (await example.count() && !id.includes('Watch')) {
				await o.getByRole('button', {name: 'Send'}).click();
				await o.locator('.out .good, .out .bad').first().waitFor();
			}
			if (id === ids[0]) { await picture(page, name + '-open'); }
		}
		for (const b of await page.locator('.op[open] form').getByRole('checkbox').all()) if (await b.isVisible()) await b.check();
		if (path === app) assert(await page.locator('.login').isHidden()); // no scheme
		else await page.locator('.login > summary').click();
		await accessible(page);
		await picture(page, name + '-all');
		assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the screen');
	}, {...options, statuses: [400, 401]});
}

await step('paper shows everything', app, async (page) => {
	if (inFirefox) { // it prints, and playwright cannot have it show what it would print
		await page.evaluate(() => addEventListener('beforeprint', () => { globalThis.stillClosed = document.querySelectorAll('.op:not([open])').length; }));
		await page.pdf();
		assert.equal(await page.evaluate(() => globalThis.stillClosed), 0);
	} else {
		await page.emulateMedia({media: 'print'});
		await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
		assert.equal(await page.locator('.op:not([open])').count(), 0);
		assert(await op(page, 'todos_Update').getByText('A body of type').isVisible());
		assert.equal(await page.locator('input:visible, select:visible, textarea:visible, .panel:visible, button:visible, nav:visible').count(), 0);
		assert(await page.locator('header a').first().isHidden(), 'paper has links to click');
		await picture(page, 'print');
		await page.evaluate(() => dispatchEvent(new Event('afterprint')));
	}
	assert.equal(await page.locator('.op[open]').count(), 0);
});

await browser.close();
if (darkFirefox) await darkFirefox.close();
rmSync(downloads, {recursive: true});
console.log(failed ? `${failed} steps FAILED` : 'all steps passed');
process.exitCode = failed ? 1 : 0;
