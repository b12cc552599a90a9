// Runs the clients in a browser, from client.js as it is served, and then uses the page of
// the template at /app/. The browser chromium111 lacks what Chrome 111 or Safari 16.4 lacks.
import assert from 'node:assert/strict';
import { openSync, ftruncateSync, closeSync, readFileSync, rmSync } from 'node:fs';
import { chromium, firefox } from 'playwright-core';

const [name, base, cutting, lossy, dist, template] = process.argv.slice(2);
const browser = name === 'firefox'
  ? await firefox.launch({ channel: 'moz-firefox', executablePath: process.env.FIREFOX })
  : await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
let result;
try {
  const deleted = name === 'chromium111' ? JSON.parse(readFileSync(`${dist}/deleted.json`, 'utf8')) : [];
  const page = await open(base + '/page.html', deleted);
  // As text: what evaluate returns has no members named __proto__.
  result = JSON.parse(await page.evaluate(async ([base, cutting, lossy]) => {
    const { run } = await import('/run.mjs');
    return JSON.stringify(await run({ base, cutting, lossy, load: (name) => import(`/${name}/client.js`), inBrowser: true }));
  }, [base, cutting, lossy]));
  if (deleted.length) {
    const left = await page.evaluate(() => [new URLSearchParams('a=1').size, typeof AbortSignal.any, typeof Promise.withResolvers, typeof [].values().map].join());
    if (left !== ',undefined,undefined,undefined') result.Faults.push(`the browser has what it is to lack: ${left}`);
  }
  if (name === 'chromium') await step('1 GiB', () => upload(page));
  if (template && name !== 'chromium111') {
    const { use } = await import('./app.mjs');
    await use({ browser, template, step, firefox: name === 'firefox' });
  }
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(result));

async function step(name, use) {
  try {
    const note = await use();
    result.Notes.push(`${name}: ok${note ? ', ' + note : ''}`);
  } catch (e) {
    result.Faults.push(`${name}: ${e.stack}`);
  }
}

// open returns a page that reports its errors, without what is deleted from its globals.
async function open(url, deleted) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.addInitScript((deleted) => {
    for (const [type, member, isStatic] of deleted) {
      const owner = globalThis[type];
      const name = member?.startsWith('@@') ? Symbol[member.slice(2)] : member;
      if (member === undefined) delete globalThis[type];
      else if (owner) delete (isStatic ? owner : owner.prototype ?? owner)[name];
    }
  }, deleted);
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (e) => result?.Faults.push(`an error of the page: ${e.stack}`));
  await page.goto(url);
  return page;
}

// upload sends a file of 1 GiB, and asks for the memory of the server.
async function upload(page) {
  const size = 1 << 30, file = `${dist}/large.png`;
  const handle = openSync(file, 'w');
  ftruncateSync(handle, size);
  closeSync(handle);
  try {
    const memory = async () => Number(await (await fetch(base + '/memory')).text());
    const before = await memory(), began = Date.now();
    await page.setInputFiles('#file', file);
    const [answer, progress] = await page.evaluate(async (base) => {
      const { connect } = await import('/desk/client.js');
      const progress = [];
      const photo = document.querySelector('#file').files[0];
      const answer = await connect({ url: base + '/desk' }).tickets.attach({ id: 1, photo }, { onProgress: (sent, total) => progress.push([sent, total]) });
      return [answer, progress];
    }, base);
    assert.equal(answer.bytes, size);
    assert(progress.length > 10, `${progress.length} reports of progress`);
    assert(progress.every(([sent, total], i) => total === size && (i === 0 || sent >= progress[i - 1][0])), 'progress goes back');
    assert.deepEqual(progress.at(-1), [size, size]);
    const more = (await memory()) - before;
    assert(more < 64 << 20, `the server took ${more} bytes more`);
    return `${progress.length} reports of progress, ${more >> 20} MiB more memory of the server, ${Date.now() - began} ms`;
  } finally {
    rmSync(file);
  }
}
