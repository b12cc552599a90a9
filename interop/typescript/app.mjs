// Uses the page of the template at /app/ as people do.
import assert from 'node:assert/strict';

export async function use({ browser, template, step, firefox }) {
  // open returns the page; what goes wrong in it is an error of the step.
  const open = async (base) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const bad = [];
    page.on('pageerror', (e) => bad.push(String(e)));
    page.on('console', (m) => /Content.Security.Policy|TrustedHTML/i.test(m.text()) && bad.push(m.text()));
    page.on('request', (r) => r.url().startsWith(base + '/') || r.url().startsWith('data:') || bad.push('a request to ' + r.url()));
    const response = await page.goto(base + '/app/');
    assert.match(response.headers()['content-security-policy'], /^default-src 'none'; script-src 'self'; /);
    return { page, done: async () => { assert.deepEqual(bad, []); await context.close(); } };
  };
  const call = (path, init) => fetch(template + path, { ...init, headers: { 'Content-Type': 'application/json', ...init?.headers } });
  const line = (page, title) => page.locator('#todos > li', { hasText: title });

  await step('app: violations beside the fields, the list and the stream', async () => {
    const { page, done } = await open(template);
    assert.equal(await page.getByLabel('Title', { exact: true }).getAttribute('required'), '');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('#title-error').getByText('must have at least 1 character').waitFor();
    assert.equal(await page.getByLabel('Title', { exact: true }).getAttribute('aria-invalid'), 'true');
    await page.getByLabel('Title', { exact: true }).fill(`Milk of ${firefox}`);
    await page.locator('#description').evaluate((e) => { e.removeAttribute('maxlength'); e.value = 'x'.repeat(2001); });
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('#description-error').getByText('must have at most 2000 characters').waitFor();
    assert.equal(await page.locator('#title-error').innerText(), '');
    await page.locator('#description').fill('<img src=x onerror="globalThis.hacked=1">');
    await page.getByRole('button', { name: 'Add' }).click();
    await line(page, `Milk of ${firefox}`).waitFor();
    await call('/todos', { method: 'POST', body: JSON.stringify({ title: `<b>Of somebody else</b> ${firefox}` }) });
    await line(page, `<b>Of somebody else</b> ${firefox}`).waitFor(); // by the stream, as text
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
    const again = await open(template); // another page has all of them from the list
    await line(again.page, `Milk of ${firefox}`).waitFor();
    await again.done();
    await done();
  });

  await step('app: a conflict', async () => {
    const { page, done } = await open(template);
    const made = await (await call('/todos', { method: 'POST', body: JSON.stringify({ title: `Shared ${firefox}` }) })).json();
    await line(page, `Shared ${firefox}`).getByRole('button', { name: 'Edit' }).click();
    const form = page.locator(`#todo-${made.id} form`);
    await form.getByRole('textbox').fill(`Mine ${firefox}`);
    await call(`/todos/${made.id}`, { method: 'PATCH', body: JSON.stringify({ title: `Theirs ${firefox}` }) });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Somebody has changed it').waitFor();
    assert.equal(await form.getByRole('textbox').inputValue(), `Theirs ${firefox}`);
    await form.getByRole('textbox').fill('');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('must have at least 1 character').waitFor();
    await form.getByRole('textbox').fill(`Ours ${firefox}`);
    await form.getByRole('button', { name: 'Save' }).click();
    await line(page, `Ours ${firefox}`).waitFor();
    assert.equal((await (await call(`/todos/${made.id}`)).json()).title, `Ours ${firefox}`);
    await line(page, `Ours ${firefox}`).getByRole('button', { name: 'Delete' }).click();
    await line(page, `Ours ${firefox}`).waitFor({ state: 'detached' });
    assert.equal((await call(`/todos/${made.id}`)).status, 404);
    await done();
  });

  await step('app: an upload', async () => {
    const { page, done } = await open(template);
    assert.equal(await page.locator('#table').getAttribute('accept'), 'text/csv');
    await page.setInputFiles('#table', { name: 'todos.csv', mimeType: 'text/csv', buffer: Buffer.from(`Bread ${firefox},Rye\nSalt ${firefox}\n`) });
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('2 todos were added.').waitFor();
    assert.equal(await page.locator('#progress').evaluate((e) => e.value), 1);
    await line(page, `Salt ${firefox}`).waitFor();
    await page.setInputFiles('#table', { name: 'todos.csv', mimeType: 'text/csv', buffer: Buffer.from('"') });
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('line 1 is not a line of CSV').waitFor();
    await done();
  });

  await step('app: a token', async () => {
    const { page, done } = await open(process.env.TOKENS);
    await page.locator('#login').waitFor();
    await page.getByLabel('Token').fill('open-sesame');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByLabel('Title', { exact: true }).fill(`With a token ${firefox}`);
    await page.getByRole('button', { name: 'Add' }).click();
    await line(page, `With a token ${firefox}`).waitFor();
    await done();
  });
}
