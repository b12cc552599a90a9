// Holds the part of client.ts that all services have in common to the tables of Connect: which calls are
// sent again after what, how long a client waits, what it says about the outcome, and where a stream goes
// on. The server is a list of answers; no time passes.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const rows = {
  get: { route: 'GET /things/{id}', taken: { id: '/things/mine' }, query: ['tag', 'big', ['size_', 'size']], headers: { ifNoneMatch: 'If-None-Match' }, out: { eTag: 'ETag', age: 'Age', old: 'X-Old' }, parsed: ['age', 'old'] },
  query: { route: 'QUERY /things', body: 'json' },
  put: { route: 'PUT /things/{id}', headers: { ifMatch: 'If-Match' }, body: 'json' },
  save: { route: 'PUT /saved', body: 'json', status: 'status' },
  delete: { route: 'DELETE /things/{id}', taken: { id: '/things/all%20of%20them|/things/none' }, headers: { ifMatch: 'If-Match' }, kind: 'void' },
  post: { route: 'POST /things', body: 'json', floats: ['price'] },
  patch: { route: 'PATCH /things/{id}', body: 'json' },
  keyed: { route: 'POST /keyed', body: 'json', keyed: true },
  none: { route: 'POST /none' },
  public: { route: 'GET /public', public: true },
  file: { route: 'GET /file', kind: 'file' },
  upload: { route: 'PUT /photo', file: 'photo', types: ['image/png'], query: ['note'] },
  pick: { route: 'PUT /picked', file: 'photo', types: ['image/png', 'image/jpeg'] },
  send: { route: 'PUT /sent', file: 'photo', kind: 'void' },
  form: { route: 'POST /form', body: 'form', file: 'photo' },
  part: { route: 'GET /things/{thing}/parts/{id}', taken: { id: '/things/[^/]+/parts/last' } },
  content: { route: 'GET /repos/{repo}/contents/{path}', tail: 'path', taken: { path: '/repos/[^/]+/contents/[^/]+/raw' } },
  page: { route: 'GET /page', query: ['page'], kind: 'page' },
  cursor: { route: 'GET /cursor', query: ['cursor'], kind: 'cursor' },
  event: { route: 'GET /event', kind: 'event' },
  watch: { route: 'GET /watch', headers: { after: 'Last-Event-ID' }, kind: 'stream', ids: 'all' },
  seek: { route: 'QUERY /seek', headers: { after: 'Last-Event-ID' }, body: 'json', kind: 'stream', ids: 'all' },
  start: { route: 'POST /start', headers: { after: 'Last-Event-ID' }, body: 'json', kind: 'stream', ids: 'all' },
  plain: { route: 'GET /plain', kind: 'stream' },
  either: { route: 'GET /either', headers: { after: 'Last-Event-ID' }, out: { eTag: 'ETag' }, kind: 'either', ids: 'all' },
  places: { route: 'GET /places', headers: { after: 'Last-Event-ID' }, kind: 'stream', ids: 'some' },
};

const runtime = readFileSync(new URL('../../typescript_runtime.txt', import.meta.url), 'utf8').replace(/‹[^›]*›/g, '');
const load = (service) => {
  const text = `${runtime}\nconst service = ${JSON.stringify(service)};\nexport const connect = (options) => $build(service, options).api;\n`;
  return import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
};
const usual = await load({ name: 'Things', calls: { api: rows }, apiKey: { header: 'X-Key' } });
const formed = await load({ calls: { api: rows }, form: true, apiKey: { query: 'key' } });
const nested = await load({ calls: { api: rows }, form: 'error' });

// The clock: each wait is noted, and over at once. The 45 seconds after which a stream counts as cut only
// pass if a test says that nothing comes.
const silence = 45_000;
let waits = [];
let isSilent = false;
const realTimeout = globalThis.setTimeout;
globalThis.setTimeout = (run, milliseconds) => {
  if (milliseconds !== silence) waits.push(Math.round(milliseconds));
  return milliseconds !== silence || isSilent ? realTimeout(run, 0) : undefined;
};
Math.random = () => 0.5;

const json = (status, value, headers = {}) => () => new Response(value === undefined ? null : JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json', ...headers } });
const fails = (code, status, more = {}, headers = {}) => json(status, { error: { code, message: 'no', ...more } }, headers);
const ok = json(200, { id: 1 });
const empty = () => new Response(null, { status: 204 });
const lost = () => { throw new TypeError('fetch failed'); };
const refused = () => { throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }); };
const html = (status, headers = {}) => () => new Response('<h1>proxy</h1>', { status, headers: { 'Content-Type': 'text/html', ...headers } });
const cut = (...parts) => () => streamOf(parts, true);
const events = (...parts) => () => streamOf(parts, false);
function streamOf(parts, breaks, type = 'text/event-stream') {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part !== undefined) controller.enqueue(encoder.encode(part));
      else if (breaks) controller.error(new TypeError('terminated'));
      else if (!isSilent) controller.close();
    },
  });
  return new Response(body, { headers: { 'Content-Type': type } });
}

// What uploads have in a browser, unless fetch is of the caller.
const realFetch = globalThis.fetch;
async function uploading(answer, call) {
  const seen = { headers: {} };
  globalThis.XMLHttpRequest = class {
    upload = {};
    status = 0;
    response = new ArrayBuffer(0);
    responseURL = '';
    open(verb, url) { Object.assign(seen, { verb, url }); this.responseURL = url; }
    setRequestHeader(name, value) { seen.headers[name] = value; }
    getAllResponseHeaders() { return ''; }
    send() { answer.call(this); queueMicrotask(() => { try { this.onloadend(); } catch {} }); } // what it throws reaches nobody
    abort() {}
  };
  try {
    return { seen, got: await call(usual.connect({ url: 'https://svc.test/v1' })) };
  } finally {
    delete globalThis.XMLHttpRequest;
  }
}

/** A client of a server that gives these answers, the last of them for ever. */
function server(answers, options = {}, { connect } = usual) {
  waits = [];
  const requests = [];
  const api = connect({
    url: 'https://svc.test/v1/',
    fetch: async (url, init) => {
      requests.push({ url, ...init });
      return (answers.length > 1 ? answers.shift() : answers[0])(init);
    },
    ...options,
  });
  return { api, requests };
}

const inputs = {
  get: { id: 7 }, query: { q: 'x' }, put: { id: 7, title: 'x' }, delete: { id: 7 }, post: { title: 'x' }, patch: { id: 7 }, keyed: { amount: 1 },
  'put if': { id: 7, ifMatch: '"1"' }, 'delete if': { id: 7, ifMatch: '"1"' }, 'get if': { id: 7, ifNoneMatch: '"1"' },
  upload: { photo: new Blob(['x']) }, 'upload stream': { photo: new Blob(['x']).stream() }, none: {}, file: {},
};
const overloaded = fails('UNAVAILABLE', 503, { reason: 'overloaded' });
const unavailable = fails('UNAVAILABLE', 503);
const after = (seconds) => ({ 'Retry-After': String(seconds) });

// what the server answers; the calls; how often each is sent; the error's code and reason ('' is success); the waits
const repetitions = [
  ['no connection', [refused], ['get', 'query', 'put', 'delete', 'post', 'patch', 'keyed', 'none', 'put if', 'delete if', 'upload'], 3, 'UNAVAILABLE not_sent', [25, 50]],
  ['no connection, and a body that is a stream', [refused], ['upload stream'], 1, 'UNAVAILABLE not_sent', []],
  ['overloaded', [overloaded, ok], ['get', 'put', 'post', 'patch', 'keyed', 'none', 'put if', 'upload'], 2, '', [25]],
  ['overloaded for ever', [overloaded], ['post'], 3, 'UNAVAILABLE overloaded', [25, 50]],
  ['no answer', [lost, ok], ['get', 'query', 'put', 'delete', 'keyed', 'get if', 'upload', 'file'], 2, '', [25]],
  ['no answer for ever', [lost], ['get', 'put', 'keyed'], 3, 'UNAVAILABLE outcome_unknown', [25, 50]],
  ['no answer to what may run only once', [lost], ['post', 'patch', 'none', 'put if', 'delete if', 'upload stream'], 1, 'UNAVAILABLE outcome_unknown', []],
  ['half an answer', [() => streamOf(['{"id"'], true, 'application/json'), ok], ['get', 'put', 'keyed'], 2, '', [25]],
  ['half an answer to what may run only once', [() => streamOf(['{"id"'], true, 'application/json')], ['post', 'put if'], 1, 'UNAVAILABLE outcome_unknown', []],
  ['half a head', [() => new Response(new Uint8Array(0)), ok], ['get', 'file'], 2, '', [25]],
  ['UNAVAILABLE', [unavailable, ok], ['get', 'query', 'put', 'delete', 'keyed'], 2, '', [25]],
  ['UNAVAILABLE, once only', [unavailable], ['post', 'patch', 'put if'], 1, 'UNAVAILABLE ', []],
  ['429', [fails('RESOURCE_EXHAUSTED', 429), ok], ['get', 'keyed'], 2, '', [500]],
  ['429 with another code', [fails('FAILED_PRECONDITION', 429, {}, after(1))], ['get', 'keyed'], 1, 'FAILED_PRECONDITION ', []],
  ['413', [fails('RESOURCE_EXHAUSTED', 413)], ['get', 'keyed'], 1, 'RESOURCE_EXHAUSTED ', []],
  ['ABORTED', [fails('ABORTED', 409)], ['get', 'keyed'], 1, 'ABORTED ', []],
  ['ABORTED with Retry-After', [fails('ABORTED', 409, { reason: 'key_running' }, after(1)), ok], ['keyed', 'put'], 2, '', [1050]],
  ['ABORTED with Retry-After, once only', [fails('ABORTED', 409, {}, after(1))], ['post'], 1, 'ABORTED ', []],
  ['INTERNAL', [fails('INTERNAL', 500)], ['get', 'keyed'], 1, 'INTERNAL ', []],
  ['UNKNOWN', [fails('UNKNOWN', 500)], ['get'], 1, 'UNKNOWN ', []],
  ['DEADLINE_EXCEEDED of the service', [fails('DEADLINE_EXCEEDED', 504)], ['get', 'keyed'], 1, 'DEADLINE_EXCEEDED ', []],
  ['504 of nginx, in JSON', [fails('DEADLINE_EXCEEDED', 504, { reason: 'outcome_unknown' }), ok], ['get'], 2, '', [25]],
  ['502 of a proxy', [html(502), ok], ['get', 'keyed'], 2, '', [25]],
  ['502 of a proxy, once only', [html(502)], ['post'], 1, 'UNAVAILABLE outcome_unknown', []],
  ['503 of a proxy, once only', [html(503)], ['post'], 1, 'UNAVAILABLE ', []],
  ['504 of a proxy', [html(504), ok], ['get'], 2, '', [25]],
  ['429 of a proxy', [html(429, after(2)), ok], ['get'], 2, '', [2100]],
  ['500 of a proxy', [html(500)], ['get'], 1, 'INTERNAL ', []],
  ['404 of a proxy', [html(404)], ['get'], 1, 'NOT_FOUND ', []],
  ['418 of a proxy', [html(418)], ['get'], 1, 'INVALID_ARGUMENT ', []],
  ['a page where JSON should be', [html(200)], ['get', 'delete'], 1, 'INTERNAL ', []],
  ['a redirect', [() => new Response(null, { status: 302, headers: { Location: '/' } })], ['get'], 1, 'UNKNOWN ', []],
  ['Retry-After of 20 s', [fails('UNAVAILABLE', 503, {}, after(20)), ok], ['get'], 2, '', [20_000]],
  ['Retry-After of 21 s', [fails('UNAVAILABLE', 503, {}, after(21))], ['get'], 1, 'UNAVAILABLE ', []],
  ['Retry-After of a past date', [fails('UNAVAILABLE', 503, {}, after('Mon, 02 Jan 2006 15:04:05 GMT')), ok], ['get'], 2, '', [0]],
  ['Retry-After that is no number', [fails('UNAVAILABLE', 503, {}, after('1.5')), ok], ['get'], 2, '', [25]],
  ['Retry-After that is no date', [fails('UNAVAILABLE', 503, {}, after('soon GMT')), ok], ['get'], 2, '', [25]],
  ['Retry-After that is a number of a language', [fails('UNAVAILABLE', 503, {}, after('0x10')), ok], ['get'], 2, '', [25]],
  ['a lost answer, then no connection', [lost, refused], ['get'], 3, 'UNAVAILABLE outcome_unknown', [25, 50]],
  ['a lost answer, then overloaded', [lost, overloaded], ['keyed'], 3, 'UNAVAILABLE outcome_unknown', [25, 50]],
  ['a lost answer, then NOT_FOUND', [lost, fails('NOT_FOUND', 404, { reason: 'no_thing' })], ['delete'], 2, 'NOT_FOUND no_thing', [25]],
  ['overloaded, then no connection', [overloaded, refused], ['post'], 3, 'UNAVAILABLE not_sent', [25, 50]],
];

for (const [name, answers, calls, sent, error, pauses] of repetitions) {
  for (const call of calls) {
    test(`repetitions: ${name}: ${call}`, async () => {
      const { api, requests } = server([...answers]);
      const input = call === 'upload stream' ? { photo: new Blob(['x']).stream() } : inputs[call];
      const got = await api[call.split(' ')[0]].try(input);
      assert.equal(got.ok ? '' : `${got.error.code} ${got.error.reason}`, error);
      assert.equal(requests.length, sent);
      assert.deepEqual(waits, pauses);
      const keys = new Set(requests.map((request) => request.headers.get('Idempotency-Key')));
      assert.equal(keys.size, 1, 'one key for all attempts');
      assert.equal(keys.has(null), call !== 'keyed');
    });
  }
}

test('repetitions: the same bytes, whatever becomes of the input meanwhile', async () => {
  const { api, requests } = server([lost, unavailable, ok]);
  const input = { amount: 1, list: [{ b: 1, a: 2 }] };
  const call = api.keyed(input);
  input.amount = 2;
  input.list[0].c = 3;
  await call;
  assert.deepEqual(requests.map((request) => request.body), Array(3).fill('{"amount":1,"list":[{"b":1,"a":2}]}'));
  assert.equal(new Set(requests.map((request) => request.url)).size, 1);
});

for (const name of ['If-Match', 'If-None-Match', 'If-Unmodified-Since']) {
  test(`repetitions: no answer to a write with ${name}`, async () => {
    for (const [call, sent] of [['put', 1], ['delete', 1], ['get', 3], ['query', 3]]) {
      const { api, requests } = server([lost]);
      await assert.rejects(api[call]({ id: 1 }, { headers: { [name]: 'x' } }));
      assert.equal(requests.length, sent, call);
    }
  });
}

test('attempts: as many as the option says', async () => {
  for (const attempts of [1, 2, 5]) {
    const { api, requests } = server([lost], { attempts });
    await assert.rejects(api.get({ id: 1 }));
    assert.equal(requests.length, attempts);
  }
});

test('waits: twice as long each time, and at most 20 s', async () => {
  const { api } = server([fails('RESOURCE_EXHAUSTED', 429)], { attempts: 8 });
  await assert.rejects(api.get({ id: 1 }));
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
});

test('budget: 35 repetitions while nothing succeeds, for all calls of a client', async () => {
  const { api, requests } = server([unavailable]);
  for (let n = 0; n < 50; n++) await assert.rejects(api.get({ id: n }));
  assert.equal(requests.length, 50 + 35);
});

test('budget: a repetition that succeeds costs nothing', async () => {
  const answers = Array.from({ length: 100 }, () => [unavailable, ok]).flat();
  const { api, requests } = server(answers);
  for (let n = 0; n < 100; n++) await api.get({ id: n });
  assert.equal(requests.length, 200);
});

test('budget: 14 first successes pay for a repetition', async () => {
  const { api, requests } = server([...Array(50).fill(unavailable), ...Array(36).fill(unavailable), ...Array(24).fill(ok), unavailable]);
  for (let n = 0; n < 51; n++) await assert.rejects(api.get({ id: n })); // 35 of them twice or three times
  assert.equal(requests.length, 86);
  for (let n = 0; n < 4; n++) await api.get({ id: n }); // 490 spent, 486 now
  await assert.doesNotReject(async () => { for (let n = 0; n < 20; n++) await api.get({ id: n }); });
  await assert.rejects(api.get({ id: 1 })); // 466 spent: two repetitions
  assert.equal(requests.length, 86 + 24 + 3);
});

test('keys: one of 128 random bits a call, or that of the options', async () => {
  const { api, requests } = server([ok]);
  await api.keyed({});
  await api.keyed({});
  await api.keyed({}, { idempotencyKey: 'mine' });
  await api.post({}, { idempotencyKey: 'mine' });
  const keys = requests.map((request) => request.headers.get('Idempotency-Key'));
  assert.match(keys[0], /^[!-~]{10,255}$/);
  assert.notEqual(keys[0], keys[1]);
  assert.deepEqual(keys.slice(2), ['mine', null]);
});

const invalid = fails('UNAUTHENTICATED', 401, { reason: 'invalid_token' }, { 'WWW-Authenticate': 'Bearer error="invalid_token"' });
const challengedBy = fails('UNAUTHENTICATED', 401, {}, { 'WWW-Authenticate': 'Bearer error="invalid_token"' });
const challenged = html(401, { 'WWW-Authenticate': 'Bearer error="invalid_token"' });
const tokenRows = [
  // the answers; what the function returns; the call; the tokens that are sent; the error
  ['a token that holds', [ok], ['a'], 'get', ['Bearer a'], ''],
  ['no token', [ok], [undefined], 'get', [null], ''],
  ['a refused one', [invalid, ok], ['a', 'b'], 'get', ['Bearer a', 'Bearer b'], ''],
  ['a refused one of a POST', [invalid, ok], ['a', 'b'], 'post', ['Bearer a', 'Bearer b'], ''],
  ['by the challenge of a proxy', [challenged, ok], ['a', 'b'], 'get', ['Bearer a', 'Bearer b'], ''],
  ['by the challenge of a guard that says no reason', [challengedBy, ok], ['a', 'b'], 'get', ['Bearer a', 'Bearer b'], ''],
  ['the same again', [invalid], ['a', 'a'], 'get', ['Bearer a'], 'invalid_token'],
  ['none again', [invalid], ['a', undefined], 'get', ['Bearer a'], 'invalid_token'],
  ['two refused ones', [invalid], ['a', 'b'], 'get', ['Bearer a', 'Bearer b'], 'invalid_token'],
  ['a reason of the service, with the challenge', [fails('UNAUTHENTICATED', 401, { reason: 'session_over' }, { 'WWW-Authenticate': 'Bearer realm="x", error="invalid_token"' }), ok], ['a', 'b'], 'get', ['Bearer a', 'Bearer b'], ''],
  ['a challenge without an error', [fails('UNAUTHENTICATED', 401, { reason: 'session_over' }, { 'WWW-Authenticate': 'Basic realm="x", bearer realm="x"' }), ok], ['a', 'b'], 'get', ['Bearer a', 'Bearer b'], ''],
  ['a reason without a challenge', [fails('UNAUTHENTICATED', 401, { reason: 'invalid_token' }, { 'WWW-Authenticate': 'Basic realm="x"' })], ['a'], 'get', ['Bearer a'], 'invalid_token'],
  ['another 401', [fails('UNAUTHENTICATED', 401)], ['a', 'b'], 'get', ['Bearer a'], ''],
  ['of a public method', [invalid, ok], ['a', undefined], 'public', ['Bearer a', null], ''],
];
for (const [name, answers, tokens, call, sent, reason] of tokenRows) {
  test(`tokens: ${name}`, async () => {
    const asked = [];
    const { api, requests } = server([...answers], { token: (old) => { asked.push(old); return tokens[asked.length - 1]; } });
    const got = await api[call].try({ id: 1 });
    assert.equal(got.ok ? '' : got.error.reason, reason);
    assert.deepEqual(requests.map((request) => request.headers.get('Authorization')), sent);
    assert.deepEqual(asked, tokens.length > 1 && name !== 'another 401' ? [undefined, 'a'] : [undefined]);
  });
}

test('tokens: calls that are refused together ask once', async () => {
  const asked = [];
  let current = 'a';
  const token = (refused) => {
    if (refused === undefined) return current;
    asked.push(refused);
    return new Promise((resolve) => realTimeout(() => resolve(current = 'b'), 5));
  };
  const { api, requests } = server([async (init) => {
    if (init.headers.get('Authorization') === 'Bearer b') return ok();
    await new Promise((resolve) => realTimeout(resolve, requests.length * 4)); // some are refused when the new one is there
    return invalid();
  }], { token });
  await Promise.all(Array.from({ length: 5 }, (_, id) => api.get({ id })));
  assert.deepEqual([asked, requests.length], [['a'], 10]);
  await api.get({ id: 1 });
  current = 'a'; // as of a user who has logged in with the old one
  await api.get({ id: 1 });
  assert.deepEqual(asked, ['a', 'a']);
});

test('tokens: a refresh that fails is one for all calls that wait for it, and is not kept', async () => {
  const fault = new TypeError('no network');
  const asked = [];
  let isDown = true;
  const token = async (refused) => {
    if (refused === undefined) return 'a';
    asked.push(refused);
    await new Promise((resolve) => realTimeout(resolve, 20));
    if (isDown) throw fault;
    return 'b';
  };
  const { api, requests } = server([async (init) => {
    if (init.headers.get('Authorization') === 'Bearer b') return ok();
    await new Promise((resolve) => realTimeout(resolve, requests.length)); // some are refused when it has failed
    return invalid();
  }], { token });
  const results = await Promise.all(Array.from({ length: 20 }, (_, id) => api.get.try({ id })));
  assert.deepEqual([asked.length, requests.length], [1, 20]);
  for (const { error } of results) assert.deepEqual([error.code, error.reason, error.cause], ['UNAVAILABLE', 'not_sent', fault]);
  isDown = false;
  await api.get({ id: 1 });
  assert.deepEqual([asked.length, requests.length], [2, 22]);
});

test('tokens: a function that fails', async () => {
  const fault = new TypeError('no network');
  for (const [fails, asks, sent] of [[(refused) => refused === undefined, 1, 0], [(refused) => refused === 'a', 2, 1]]) {
    let asked = 0;
    const { api, requests } = server([invalid], { token: (refused) => { asked++; if (fails(refused)) throw fault; return 'a'; } });
    const { error } = await api.get.try({ id: 1 });
    assert.deepEqual([error.code, error.reason, error.cause, asked, requests.length], ['UNAVAILABLE', 'not_sent', fault, asks, sent]);
  }
  let times = 0;
  const { api, requests } = server([cut(item(1)), events(item(2), 'event: done\ndata: {}\n\n')], { token: () => { if (times++ === 1) throw fault; return 'a'; } });
  const got = [];
  for await (const value of api.watch()) got.push(value);
  assert.deepEqual([got, times, requests.length], [[1, 2], 3, 2]); // a stream goes on when there is a token again
});

test('tokens: a text is sent as it is, and never twice', async () => {
  const { api, requests } = server([invalid], { token: 'a' });
  assert.equal((await api.get.try({ id: 1 })).error.code, 'UNAUTHENTICATED');
  assert.equal(requests.length, 1);
});

const item = (n) => `id: ${n}\ndata: ${n}\n\n`;
const streams = [
  // the answers; the method; the items; the error; the ids that the requests say; the waits
  ['a whole one', [events(': hello\n\n', item(1), item(2), 'event: done\ndata: {}\n\n')], 'watch', [1, 2], '', [null], []],
  ['in pieces, with CRLF and two lines', [events('id: 1\r\nda', 'ta: [1,\r\ndata:2]\r\n\r\nevent: do', 'ne\r\ndata\r\n\r\n')], 'watch', [[1, 2]], '', [null], []],
  ['cut behind an item', [cut(item(1)), cut(item(2)), events(item(3), 'event: done\ndata: {}\n\n')], 'watch', [1, 2, 3], '', [null, '1', '2'], [25, 25]],
  ['cut behind an item of a QUERY', [cut(item(1)), events(item(2), 'event: done\ndata: {}\n\n')], 'seek', [1, 2], '', [null, '1'], [25]],
  ['cut behind an item of a POST, which may run only once', [cut(item(1))], 'start', [1], 'UNAVAILABLE outcome_unknown', [null], []],
  ['ended behind an item', [events(item(1)), events('event: done\ndata: {}\n\n')], 'watch', [1], '', [null, '1'], [25]],
  ['cut within an item', [cut(item(1), 'id: 2\ndata: 2\n'), events(item(2), 'event: done\ndata: {}\n\n')], 'watch', [1, 2], '', [null, '1'], [25]],
  ['cut before an item, with ids', [cut(), events(item(1), 'event: done\ndata: {}\n\n')], 'watch', [1], '', [null, null], [25]],
  ['cut behind the id at which it begins', [cut('id: 9\n\n'), events(item(10), 'event: done\ndata: {}\n\n')], 'watch', [10], '', [null, '9'], [25]],
  ['cut behind that id, of items without ids', [cut('id: 9\n\n'), events('event: done\ndata: {}\n\n')], 'places', [], '', [null, '9'], [25]],
  ['cut before an item, without ids', [cut()], 'places', [], 'UNAVAILABLE outcome_unknown', [null], []],
  ['cut behind an item without an id', [cut('id: 9\n\n', 'data: 1\n\n')], 'watch', [1], 'UNAVAILABLE outcome_unknown', [null], []],
  ['cut, without a field for the id', [cut(item(1))], 'plain', [1], 'UNAVAILABLE outcome_unknown', [null], []],
  ['a server that stops', [events(item(1), 'event: error\ndata: {"error":{"code":"UNAVAILABLE","message":"stopping"}}\n\n'), events('event: done\ndata: {}\n\n')], 'watch', [1], '', [null, '1'], [25]],
  ['an error', [events(item(1), 'event: error\ndata: {"error":{"code":"NOT_FOUND","message":"gone","reason":"no_thing"}}\n\n')], 'watch', [1], 'NOT_FOUND no_thing', [null], []],
  ['an error that says overloaded, behind an item', [events(item(1), 'event: error\ndata: {"error":{"code":"UNAVAILABLE","message":"x","reason":"overloaded"}}\n\n')], 'plain', [1], 'UNAVAILABLE outcome_unknown', [null], []],
  ['an error that only a proxy could have', [events(item(1), 'event: error\ndata: {"error":{"code":"DEADLINE_EXCEEDED","message":"x","reason":"outcome_unknown"}}\n\n')], 'watch', [1], 'DEADLINE_EXCEEDED outcome_unknown', [null], []],
  ['an error that is none', [events('event: error\ndata: oops\n\n')], 'watch', [], 'INTERNAL ', [null], []],
  ['an item that is no JSON', [events('data: {\n\n')], 'watch', [], 'INTERNAL ', [null], []],
  ['no events', [html(200)], 'watch', [], 'INTERNAL ', [null], []],
  ['refused at first', [fails('PERMISSION_DENIED', 403)], 'watch', [], 'PERMISSION_DENIED ', [null], []],
  ['refused behind an item', [cut(item(1)), fails('PERMISSION_DENIED', 403)], 'watch', [1], 'PERMISSION_DENIED ', [null, '1'], [25]],
  ['no connection for a while', [cut(item(1)), refused, refused, lost, html(502), events('event: done\ndata: {}\n\n')], 'watch', [1], '', [null, '1', '1', '1', '1', '1'], [25, 50, 100, 200, 400]],
  ['429 for a while', [cut(item(1)), fails('RESOURCE_EXHAUSTED', 429), events('event: done\ndata: {}\n\n')], 'watch', [1], '', [null, '1', '1'], [25, 1000]],
  ['as long as the server says', [cut('retry: 7000\n', item(1)), unavailable, events('event: done\ndata: {}\n\n')], 'watch', [1], '', [null, '1', '1'], [7350, 7350]],
  ['a wait that is longer than timers', [cut('retry: 99999999999\n', item(1)), events('event: done\ndata: {}\n\n')], 'watch', [1], '', [null, '1'], [90_720_000]],
  ['a wait that is no number', [cut('retry: 1e3\nretry: 7s\nretry: Infinity\n', item(1)), events('event: done\ndata: {}\n\n')], 'watch', [1], '', [null, '1'], [25]],
  ['an id that is not ASCII, in UTF-8', [cut('id: ü😀 a\ndata: 1\n\n'), events('event: done\ndata: {}\n\n')], 'watch', [1], '', [null, '\u00c3\u00bc\u00f0\u009f\u0098\u0080 a'], [25]],
  ['an id that no header carries', [cut('id: a \ndata: 1\n\n')], 'watch', [1], 'UNAVAILABLE outcome_unknown', [null], []],
  ['Retry-After, of at most 30 s', [cut(item(1)), fails('UNAVAILABLE', 503, {}, after(60)), events('event: done\ndata: {}\n\n')], 'watch', [1], '', [null, '1', '1'], [25, 31_500]],
];
for (const [name, answers, method, items, error, ids, pauses] of streams) {
  test(`streams: ${name}`, async () => {
    const { api, requests } = server([...answers]);
    const got = [];
    let failure = '';
    try {
      for await (const value of api[method]()) got.push(value);
    } catch (e) {
      failure = `${e.code} ${e.reason}`;
    }
    assert.deepEqual(got, items);
    assert.equal(failure, error);
    assert.deepEqual(requests.map((request) => request.headers.get('Last-Event-ID')), ids);
    assert.deepEqual(waits, pauses);
  });
}

test('a value or a stream', async () => {
  const whole = server([unavailable, json(201, { id: 1 }, { ETag: '"1"' })]);
  assert.deepEqual(await whole.api.either(), { value: { id: 1, eTag: '"1"' } });
  assert.deepEqual(whole.requests.map((r) => r.headers.get('Accept')), Array(2).fill('application/json, text/event-stream'));
  assert.deepEqual(await whole.api.either.try(), { ok: true, value: { value: { id: 1, eTag: '"1"' } } });

  const cuts = [];
  const parts = server([cut(item(1)), events(item(2), 'event: done\ndata: {}\n\n')]);
  const { value, stream } = await parts.api.either({}, { onCut: (error) => cuts.push(error.reason) });
  assert.deepEqual([value, await all(stream), cuts], [undefined, [1, 2], ['outcome_unknown']]);
  assert.deepEqual(parts.requests.map((r) => r.headers.get('Last-Event-ID')), [null, '1']);

  const failed = server([events(item(1), 'event: error\ndata: {"error":{"code":"NOT_FOUND","message":"gone","reason":"no_thing"}}\n\n')]);
  const got = await failed.api.either.try();
  await assert.rejects(all(got.value.stream), { reason: 'no_thing' });
  const refused = await server([fails('NOT_FOUND', 404)]).api.either.try();
  assert.deepEqual([refused.ok, refused.error.code], [false, 'NOT_FOUND']);
  await assert.rejects(server([html(200)]).api.either(), { code: 'INTERNAL' });
  const changed = await server([cut(item(1)), ok]).api.either();
  await assert.rejects(all(changed.stream), { code: 'INTERNAL' }); // a stream goes on as one
});
async function all(stream) {
  const list = [];
  for await (const value of stream) list.push(value);
  return list;
}

test('streams: what is said of cuts', async () => {
  const said = [];
  const options = { onOpen: () => said.push('open'), onCut: (error) => said.push(error.reason) };
  const { api } = server([unavailable, cut(item(1)), refused, lost, cut(), events(item(2), 'event: done\ndata: {}\n\n')]);
  for await (const value of api.watch({}, options)) said.push(value);
  assert.deepEqual(said, ['open', 1, 'outcome_unknown', 'open', 'outcome_unknown', 'open', 2]);
});

test('streams: .try yields the error last', async () => {
  const { api } = server([events(item(1), 'event: error\ndata: {"error":{"code":"NOT_FOUND","message":"gone","reason":"no_thing"}}\n\n')]);
  const got = [];
  for await (const one of api.watch.try()) got.push(one.ok ? one.value : one.error.reason);
  assert.deepEqual(got, [1, 'no_thing']);
  const reason = new Error('enough');
  await assert.rejects(api.watch.try({}, { signal: AbortSignal.abort(reason) }).next(), reason);
});

// As React Native is.
test('without streams, crypto and methods of signals', async () => {
  const { ReadableStream, crypto } = globalThis;
  Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
  delete globalThis.ReadableStream;
  globalThis.fetch = async () => { throw new Error('sent'); };
  try {
    const { api, requests } = server([() => ({ ok: true, status: 200, headers: new Headers({ 'Content-Type': 'application/json' }), text: async () => '{"id":1}' })]);
    assert.deepEqual(await api.keyed({}), { id: 1 });
    assert.match(requests[0].headers.get('Idempotency-Key'), /^\d+(-\d+){3}$/);
    const { error } = (await usual.connect({ url: 'https://svc.test' }).watch.try().next()).value;
    assert.deepEqual([error.code, error.reason], ['UNIMPLEMENTED', 'not_sent']);
    const signal = { aborted: true, addEventListener() {}, removeEventListener() {} };
    await assert.rejects(api.get({ id: 1 }, { signal }), /aborted/);
  } finally {
    Object.assign(globalThis, { ReadableStream, fetch: realFetch });
    Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
  }
});

test('streams: attempts 1 never goes on', async () => {
  const { api, requests } = server([cut(item(1))], { attempts: 1 });
  await assert.rejects(async () => { for await (const _ of api.watch()); }, { code: 'UNAVAILABLE' });
  assert.equal(requests.length, 1);
});

test('streams: 45 seconds without a byte are a cut', async () => {
  isSilent = true;
  try {
    const { api, requests } = server([events(item(1)), events('event: done\ndata: {}\n\n')]);
    const got = [];
    for await (const value of api.watch()) got.push(value);
    assert.deepEqual(got, [1]);
    assert.equal(requests[1].headers.get('Last-Event-ID'), '1');
  } finally {
    isSilent = false;
  }
});

test('streams: leaving the loop ends the connection, and aborting ends it at once', async () => {
  let ended = 0;
  const endless = () => {
    let n = 0;
    const body = new ReadableStream({
      pull(controller) { controller.enqueue(new TextEncoder().encode(item(++n) + item(++n))); },
      cancel() { ended++; },
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  };
  const { api } = server([endless]);
  for await (const value of api.watch()) if (value === 3) break;
  assert.equal(ended, 1);
  const controller = new AbortController();
  const got = [];
  await assert.rejects(async () => {
    for await (const value of api.watch({}, { signal: controller.signal })) {
      got.push(value);
      if (value === 3) controller.abort(new Error('enough'));
    }
  }, { message: 'enough' });
  assert.deepEqual(got, [1, 2, 3]);
  assert.equal(ended, 2);
});

test('streams: a response that is none is closed', async () => {
  let ended = 0;
  const page = () => new Response(new ReadableStream({ cancel() { ended++; } }), { headers: { 'Content-Type': 'text/html' } });
  await assert.rejects(server([page]).api.watch().next(), { code: 'INTERNAL' });
  assert.equal(ended, 1);
});

test('aborting: throws the reason of the signal, also from .try and while waiting', async () => {
  const reason = new Error('enough');
  const { api, requests } = server([lost]);
  await assert.rejects(api.get.try({ id: 1 }, { signal: AbortSignal.abort(reason) }), reason);
  assert.equal(requests.length, 0);
  const controller = new AbortController();
  const waiting = server([() => { queueMicrotask(() => controller.abort(reason)); return unavailable(); }]);
  await assert.rejects(waiting.api.get({ id: 1 }, { signal: controller.signal }), reason);
  assert.equal(waiting.requests.length, 1);
});

test('events: a method with one event returns it', async () => {
  assert.deepEqual(await server([events('data: {"a":1}\n\nevent: done\ndata: {}\n\n')]).api.event(), { a: 1 });
  await assert.rejects(server([events('event: done\ndata: {}\n\n')]).api.event(), { code: 'INTERNAL' });
});

test('paths: a text of several segments keeps its slashes', async () => {
  for (const [path, sent] of [['a', 'a'], ['a/b c/ü.txt', 'a/b%20c/%C3%BC.txt'], ['a/.../.b', 'a/.../.b'], ['%2F/?', '%252F/%3F'], ['a/b/raw', 'a/b/raw'], ['raw', 'raw']]) {
    const { api, requests } = server([ok]);
    await api.content({ repo: 'x/y', path });
    assert.equal(requests[0].url, `https://svc.test/v1/repos/x%2Fy/contents/${sent}`);
  }
});

const refusals = [
  ['get', { id: '' }, 'path', '/id', 'syntax'],
  ['get', { id: '.' }, 'path', '/id', 'syntax'],
  ['get', { id: '..' }, 'path', '/id', 'syntax'],
  ['get', { id: '/' }, 'path', '/id', 'syntax'],
  ['get', { id: '\ud800' }, 'path', '/id', 'syntax'],
  ['get', {}, 'path', '/id', 'required'],
  ['get', { id: null }, 'path', '/id', 'required'],
  ['get', { id: NaN }, 'path', '/id', 'required'],
  ['get', { id: 'mine' }, 'path', '/id', 'syntax'],
  ['delete', { id: 'all of them' }, 'path', '/id', 'syntax'],
  ['part', { thing: 7, id: 'last' }, 'path', '/id', 'syntax'],
  ['content', { repo: 'r', path: '' }, 'path', '/path', 'syntax'],
  ['content', { repo: 'r', path: 'a/' }, 'path', '/path', 'syntax'],
  ['content', { repo: 'r', path: '/a' }, 'path', '/path', 'syntax'],
  ['content', { repo: 'r', path: 'a//b' }, 'path', '/path', 'syntax'],
  ['content', { repo: 'r', path: 'a/./b' }, 'path', '/path', 'syntax'],
  ['content', { repo: 'r', path: '../b' }, 'path', '/path', 'syntax'],
  ['content', { repo: 'r', path: 'a/\ud800' }, 'path', '/path', 'syntax'],
  ['content', { repo: 'r', path: 'a/raw' }, 'path', '/path', 'syntax'],
  ['content', { repo: 'r' }, 'path', '/path', 'required'],
  ['get', { id: 1, tag: '\ud800' }, 'query', '/tag', 'syntax'],
  ['pick', { photo: new Uint8Array(3) }, 'body', '/photo', 'contentType'],
  ['pick', { photo: new Blob(['x']) }, 'body', '/photo', 'contentType'],
  ['pick', { photo: new Blob(['x'], { type: 'text/html' }) }, 'body', '/photo', 'contentType'],
  ['upload', { photo: new Blob(['x'], { type: 'image/jpeg' }) }, 'body', '/photo', 'contentType'],
  ['get', { id: 2 ** 53 }, 'path', '/id', 'type'],
  ['get', { id: 1, big: [1, -(2 ** 60)] }, 'query', '/big/1', 'type'],
  ['get', { id: 1, ifNoneMatch: 'é' }, 'header', '/If-None-Match', 'syntax'],
  ['get', { id: 1, ifNoneMatch: ' x' }, 'header', '/If-None-Match', 'syntax'],
  ['post', { deep: [{ 'a/b': 2 ** 53 }] }, 'body', '/deep/0/a~1b', 'type'],
  ['get', { id: 1, size_: 2 ** 53 }, 'query', '/size', 'type'],
  ['post', { list: [1, NaN] }, 'body', '/list/1', 'type'],
  ['post', { price: Infinity }, 'body', '/price', 'type'],
];
for (const [call, input, place, path, rule] of refusals) {
  test(`refused before it is sent: ${call} ${JSON.stringify(input)} ${path} ${Object.values(input).join()}`, async () => {
    const { api, requests } = server([ok]);
    const { error } = await api[call].try(input);
    assert.equal(error.code, 'INVALID_ARGUMENT');
    assert.equal(error.status, 400);
    assert.deepEqual(error.violations.map((v) => [v.in, v.path, v.rule]), [[place, path, rule]]);
    assert.equal(error.at(path), error.violations[0].message);
    assert.equal(requests.length, 0);
  });
}

test('connect: without a page, a call needs the whole url, unless fetch is of the caller', async () => {
  for (const url of ['/', '', 'svc.test/v1', undefined]) {
    const api = usual.connect({ url });
    assert.equal(api.get.url({ id: 1 }), `${url === '/' ? '' : url ?? ''}/things/1`);
    await assert.rejects(api.get.try({ id: 1 }), { name: 'TypeError', message: /give connect the whole url/ });
  }
  const { api, requests } = server([ok], { url: '/' });
  await api.get({ id: 1 });
  assert.equal(requests[0].url, '/things/1');
});

test('inputs: where they are sent', async () => {
  const { api, requests } = server([ok], { apiKey: 'secret', headers: { 'X-All': '1' }, credentials: 'include' });
  const hostile = Object.fromEntries([['__proto__', 1], ['constructor', 'x'], ['price', 1e300], ['gone', undefined], ['none', null]]);
  await api.get({ id: 'a/b ü', tag: ['x', 'y&z'], size_: 3, ifNoneMatch: '"1"', constructor: 'x' }, { headers: { 'X-One': '2' } });
  await api.post(hostile);
  await api.none();
  await api.delete({ id: 1 });
  const [get, post, none, gone] = requests;
  assert.equal(get.url, 'https://svc.test/v1/things/a%2Fb%20%C3%BC?tag=x&tag=y%26z&size=3');
  assert.deepEqual(['X-Key', 'X-All', 'X-One', 'If-None-Match', 'Accept', 'Content-Type'].map((name) => get.headers.get(name)), ['secret', '1', '2', '"1"', 'application/json', null]);
  assert.equal(get.credentials, 'include');
  assert.equal(post.body, '{"__proto__":1,"constructor":"x","price":1e+300,"none":null}');
  assert.equal(none.body, null);
  assert.equal(none.headers.get('Content-Type'), 'application/json');
  assert.equal(gone.headers.get('Content-Type'), null);
});

test('inputs: an API key in the query', async () => {
  const { api, requests } = server([ok], { apiKey: 'a&b' }, formed);
  await api.get({ id: 1, tag: 'x' });
  assert.equal(requests[0].url, 'https://svc.test/v1/things/1?tag=x&key=a%26b');
});

test('files: the type of the Blob, of the tag, or of bytes', async () => {
  const { api, requests } = server([ok]);
  await api.upload({ photo: new Blob(['x'], { type: 'IMAGE/PNG;a=b' }), note: 'n' });
  await api.upload({ photo: new Uint8Array(3) });
  await api.upload({ photo: new Blob(['x']) });
  await api.pick({ photo: new Blob(['x'], { type: 'image/jpeg' }) });
  await api.send({ photo: new Uint8Array(3) });
  await api.send({ photo: new Blob(['x'], { type: 'text/html' }) });
  assert.deepEqual(requests.map((r) => r.headers.get('Content-Type')), ['image/png;a=b', 'image/png', 'image/png', 'image/jpeg', 'application/octet-stream', 'text/html']);
  assert.equal(requests[0].url, 'https://svc.test/v1/photo?note=n');
  assert.equal((await server([() => new Response('abc', { headers: { 'Content-Type': 'text/csv' } })]).api.file()).status, 200);
});

test('files: progress, at the end without XMLHttpRequest', async () => {
  const calls = [];
  await server([ok]).api.upload({ photo: new Uint8Array(3) }, { onProgress: (sent, total) => calls.push([sent, total]) });
  assert.deepEqual(calls, [[3, 3]]);
});

test('files: progress by XMLHttpRequest', async () => {
  const calls = [];
  const { seen, got } = await uploading(function () {
    this.upload.onprogress({ loaded: 1, total: 3 });
    this.status = 404;
    this.response = new TextEncoder().encode('{"error":{"code":"NOT_FOUND","message":"no","reason":"no_thing"}}').buffer;
    this.getAllResponseHeaders = () => 'content-type: application/json\r\nretry-after: 3\r\n';
  }, (api) => api.upload.try({ photo: new Uint8Array(3) }, { onProgress: (sent, total) => calls.push([sent, total]) }));
  const { error } = got;
  assert.deepEqual(calls, [[1, 3]]);
  assert.deepEqual([error.code, error.reason, error.status, error.retryAfter], ['NOT_FOUND', 'no_thing', 404, 3]);
  assert.deepEqual([seen.verb, seen.url, seen.headers['content-type']], ['PUT', 'https://svc.test/v1/photo', 'image/png']);
});

// As of a service of another origin that exposes no header.
test('files: an answer without headers by XMLHttpRequest', async () => {
  const call = uploading(function () { this.status = 204; }, (api) => api.send({ photo: new Uint8Array(3) }, { onProgress: () => {} }).then(() => 'done'));
  assert.equal((await Promise.race([call, new Promise((resolve) => realTimeout(resolve, 1000, { got: 'no end' }))])).got, 'done');
});

test('files: an answer from elsewhere, after a redirect, is none', async () => {
  const { got } = await uploading(function () {
    this.status = 200;
    this.responseURL = 'https://svc.test/login';
  }, (api) => api.form.try({ photo: new Uint8Array(3) }, { onProgress: () => {} }));
  assert.deepEqual([got.error.code, got.error.reason, got.error.cause.message], ['UNAVAILABLE', 'outcome_unknown', 'failed or redirected']);
});

test('files: a fetch of the caller sends uploads too', async () => {
  globalThis.XMLHttpRequest = class { constructor() { throw new Error('used'); } };
  try {
    const calls = [];
    const { requests, api } = server([ok]);
    await api.upload({ photo: new Uint8Array(3) }, { onProgress: (sent, total) => calls.push([sent, total]) });
    assert.deepEqual([requests.length, calls], [1, [[3, 3]]]);
  } finally {
    delete globalThis.XMLHttpRequest;
  }
});

test('forms: the file is the last field, and nothing absent is sent', async () => {
  const { api, requests } = server([ok]);
  await api.form({ photo: new Uint8Array(3), name: 'x', tags: ['a', 'b'], none: null, gone: undefined, yes: true });
  const { body, headers } = requests[0];
  assert.deepEqual([...body.keys()], ['name', 'tags', 'tags', 'yes', 'photo']);
  assert.deepEqual(body.getAll('tags'), ['a', 'b']);
  assert.equal(body.get('photo').size, 3);
  assert.equal(headers.get('Content-Type'), null);
});

test('outputs: the status is a member where the method chooses it', async () => {
  for (const status of [200, 201]) assert.deepEqual(await server([json(status, { id: 1 })]).api.save({}), { id: 1, status });
});

test('outputs: headers are members, of their types', async () => {
  const headers = { ETag: '"1"', Age: '3', 'X-Old': 'true' };
  assert.deepEqual(await server([json(200, { id: 1 }, headers)]).api.get({ id: 1 }), { id: 1, eTag: '"1"', age: 3, old: true });
  assert.deepEqual(await server([ok]).api.get({ id: 1 }), { id: 1 });
  assert.equal(await server([empty]).api.delete({ id: 1 }), undefined);
});

test('pages: all items of both kinds', async () => {
  const pages = server([json(200, { data: [1, 2], page: 1, total_pages: 2 }), json(200, { data: [3], page: 2, total_pages: 2 })]);
  const cursors = server([json(200, { data: [1], has_more: true, next_cursor: 'x' }), json(200, { data: [2], has_more: false })]);
  const all = async (list) => { const items = []; for await (const one of list) items.push(one); return items; };
  assert.deepEqual(await all(pages.api.page.all()), [1, 2, 3]);
  assert.deepEqual(pages.requests.map((r) => r.url), ['https://svc.test/v1/page', 'https://svc.test/v1/page?page=2']);
  assert.deepEqual(await all(cursors.api.cursor.all({})), [1, 2]);
  assert.equal(cursors.requests[1].url, 'https://svc.test/v1/cursor?cursor=x');
});

test('pages: as a list that loads more has them', async () => {
  const pages = server([json(200, { data: [1], page: 2, total_pages: 3 }), json(200, { data: [2], page: 3, total_pages: 3 })]);
  const { queryKey, queryFn, initialPageParam, getNextPageParam, retry } = pages.api.page.pages({ page: 2 });
  assert.deepEqual([queryKey, retry], [['Things', 'api', 'page', { page: 2 }, 'pages'], false]);
  const { signal } = new AbortController();
  const first = await queryFn({ pageParam: initialPageParam, signal });
  const second = await queryFn({ pageParam: getNextPageParam(first), signal });
  assert.deepEqual([first.data, second.data, getNextPageParam(second)], [[1], [2], undefined]);
  assert.deepEqual(pages.requests.map((r) => [r.url, r.signal]), [['https://svc.test/v1/page?page=2', signal], ['https://svc.test/v1/page?page=3', signal]]);
  const cursors = server([json(200, { data: [1], next_cursor: 'x' }), json(200, { data: [2] })]).api.cursor.pages();
  const at = cursors.getNextPageParam(await cursors.queryFn({ pageParam: cursors.initialPageParam }));
  assert.deepEqual([at, cursors.getNextPageParam(await cursors.queryFn({ pageParam: at }))], [{ cursor: 'x' }, undefined]);
});

test('forms: an empty number is absent', async () => {
  const { api, requests } = server([ok]);
  await api.post({ n: NaN, price: NaN, deep: { n: NaN, x: 1 } });
  await api.get({ id: 1, big: NaN, ifNoneMatch: NaN });
  await api.form({ photo: new Uint8Array(3), age: NaN });
  assert.equal(requests[0].body, '{"deep":{"x":1}}');
  assert.equal(requests[1].url, 'https://svc.test/v1/things/1');
  assert.equal(requests[1].headers.get('If-None-Match'), null);
  assert.deepEqual([...requests[2].body.keys()], ['photo']);
});

test('queries and addresses', async () => {
  const { api, requests } = server([ok]);
  const { queryKey, queryFn } = api.get.query({ id: 1 });
  assert.deepEqual(queryKey, ['Things', 'api', 'get', { id: 1 }]);
  assert.deepEqual(usual.connect({ key: 'mine' }).get.query().queryKey, ['mine', 'api', 'get', {}]);
  const { signal } = new AbortController();
  assert.deepEqual(await queryFn({ signal, headers: 'a member of somebody else' }), { id: 1 });
  assert.equal(requests[0].signal, signal);
  assert.equal(api.get.query({ id: 1 }).retry, false);
  assert.equal(api.get.url({ id: 1, tag: 'x', ifNoneMatch: '"1"' }), 'https://svc.test/v1/things/1?tag=x');
});

test('errors: what a CallError has', async () => {
  const violations = [{ in: 'body', path: '/guest/email', rule: 'format', message: 'must be an address', limit: 3 }];
  const { error } = await server([fails('INVALID_ARGUMENT', 400, { details: { violations, more: 1 } }, after(7))]).api.post.try({});
  assert.ok(error instanceof usual.CallError && error instanceof Error);
  assert.deepEqual([error.name, error.code, error.reason, error.status, error.message, error.retryAfter, error.form], ['CallError', 'INVALID_ARGUMENT', '', 400, 'no', 7, undefined]);
  assert.deepEqual(error.violations, violations);
  assert.deepEqual(error.details, { violations, more: 1 });
  assert.equal(error.at('/guest/email'), 'must be an address');
  assert.equal(error.at('/guest'), undefined);
  const problem = await server([json(409, { code: 'ABORTED', detail: 'busy', reason: 'key_running' }, { 'Content-Type': 'application/problem+json' })]).api.post.try({});
  assert.deepEqual([problem.error.code, problem.error.message, problem.error.reason], ['ABORTED', 'busy', 'key_running']);
  for (const body of [null, [], 'x', { error: { code: 'toString', message: 'x' } }, { error: 'x' }]) {
    assert.equal((await server([json(404, body)]).api.post.try({})).error.code, 'NOT_FOUND', JSON.stringify(body));
  }
});

test('errors: a form of the service, and the envelope beside it', async () => {
  const form = { title: 'Bad', status: 422, errors: ['x'] };
  const { error } = await server([json(422, form)], {}, formed).api.post.try({});
  assert.deepEqual([error.code, error.status, error.form, error.violations], ['INVALID_ARGUMENT', 422, form, []]);
  const envelope = (await server([fails('ABORTED', 409)], {}, formed).api.post.try({})).error;
  assert.deepEqual([envelope.code, envelope.form], ['ABORTED', undefined]);
  const again = server([json(503, { title: 'x' }), ok], {}, formed);
  assert.deepEqual(await again.api.get({ id: 1 }), { id: 1 });
  const stream = server([events(item(1), 'event: error\ndata: {"status":503}\n\n'), events('event: done\ndata: {}\n\n')], {}, formed);
  const got = [];
  for await (const value of stream.api.watch()) got.push(value);
  assert.deepEqual(got, [1]);
  assert.equal(stream.requests.length, 2);
});

test('errors: a form with a member error, as the envelope has', async () => {
  const form = { error: { message: 'Bad', code: 'invalid_value', param: null } };
  const { error } = await server([json(422, form)], {}, nested).api.post.try({});
  assert.deepEqual([error.code, error.message, error.status, error.form], ['INVALID_ARGUMENT', 'Bad', 422, form]);
  const other = (await server([json(404, { title: 'x' })], {}, nested).api.post.try({})).error; // a second form
  assert.deepEqual([other.code, other.form], ['NOT_FOUND', { title: 'x' }]);
  const envelope = (await server([fails('ABORTED', 409)], {}, nested).api.post.try({})).error;
  assert.deepEqual([envelope.code, envelope.form], ['ABORTED', undefined]);
});

test('responses: each of them is seen, and what looks at them may throw', async () => {
  const seen = [];
  await server([unavailable, ok], { onResponse: (response) => seen.push(response.status) }).api.get({ id: 1 });
  assert.deepEqual(seen, [503, 200]);
  const fault = new Error('mine');
  const { api, requests } = server([ok], { onResponse: () => { throw fault; } });
  await assert.rejects(api.get.try({ id: 1 }), fault);
  assert.equal(requests.length, 1);
});
