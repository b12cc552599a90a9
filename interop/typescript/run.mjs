// What each runtime does with the clients: the calls of the table, and what follows it. It is
// plain JavaScript without imports, so that a browser runs it as it is. load returns the module
// of the client of a service.

export async function run({ base, cutting, lossy, load, inBrowser = false }) {
  const faults = [], notes = [];
  const check = (name, got, want) => {
    if (text(got) !== text(want)) faults.push(`${name}: is ${text(got)}, want ${text(want)}`);
  };
  const rows = await (await fetch(base + '/table')).json();
  await fetch(base + '/reset', { method: 'POST' });
  const modules = {};
  for (const name of ['desk', 'kitchen', 'bookmarks', 'payments', 'entries', 'members', 'hostile']) modules[name] = await load(name);
  // What says who calls: a token, or a key in the query or in a cookie, which in a browser the client does not set.
  const credentials = {
    bookmarks: (token) => ({ token }),
    entries: (apiKey) => ({ apiKey }),
    members(session) {
      if (!inBrowser) return { headers: { Cookie: `session=${session}` } };
      document.cookie = `session=${session}; path=/members`;
    },
  };
  const connect = (name, options = {}, key = 'fresh') => modules[name].connect({ url: `${base}/${name}`, ...credentials[name]?.(key), ...options });

  const clients = {}, Results = [];
  for (const row of rows) {
    const { CallError } = modules[row.service];
    const key = row.key ?? 'fresh', client = clients[row.service + key] ??= connect(row.service, {}, key);
    if (inBrowser) credentials[row.service]?.(key);
    Results.push(await outcome(row, method(client, row.call), CallError));
  }
  const Arrived = await (await fetch(base + '/arrived')).json();

  const steps = { streams, losses, tokens, keys, aborts, addresses, integers, hostile, uploads, responses };
  for (const [name, step] of Object.entries(steps)) {
    globalThis.process?.env?.TRACE && console.error(name);
    try {
      await step({ base, cutting, lossy, connect, modules, check: (what, got, want) => check(`${name}: ${what}`, got, want), notes, inBrowser });
    } catch (e) {
      faults.push(`${name}: ${e?.stack ?? e}`);
    }
  }
  check('what a text ran', globalThis.hacked, undefined);
  return { Results, Arrived, Faults: faults, Notes: notes };
}

const text = (v) => (v === undefined ? 'nothing' : JSON.stringify(v));
const method = (client, call) => call.split('.').reduce((o, name) => o?.[name], client);

// outcome makes the call of a row and returns what Connect's side writes of it.
async function outcome(row, call, CallError) {
  if (call === undefined) return { error: { none: 'there is no method ' + row.call } };
  const input = row.input && Object.fromEntries(Object.entries(row.input).map(([name, v]) => [name, v?.$body ? bodyOf(v.$body) : v]));
  const events = [];
  try {
    switch (row.via) {
      case 'call':
        return value(await call(input));
      case 'try': {
        const got = await call.try(input);
        return got.ok ? value(got.value) : { error: failure(got.error) };
      }
      case 'events':
      case 'all':
        for await (const item of row.via === 'all' ? call.all(input) : call(input)) events.push(item);
        return { events };
      case 'file': {
        const response = await call(input);
        return value({ type: response.headers.get('Content-Type'), text: await response.text() });
      }
    }
  } catch (e) {
    const error = e instanceof CallError ? failure(e) : { thrown: String(e?.stack ?? e) };
    return row.via === 'events' || row.via === 'all' ? { events, error } : { error };
  }
}

const bodyOf = ({ type, name, text }) => (name ? new File([text], name, { type }) : new Blob([text], { type }));
const value = (v) => (v === undefined ? {} : { value: v });

function failure(e) {
  const { violations, ...details } = e.details;
  return {
    code: e.code, reason: e.reason, status: e.status, message: e.message,
    ...(e.violations.length && { violations: e.violations }),
    ...(Object.keys(details).length && { details }),
    ...(e.retryAfter !== undefined && { retryAfter: e.retryAfter }),
    ...(e.form !== undefined && { form: e.form }),
  };
}

// --- What follows the table

// A stream over a proxy that cuts each connection somewhere: each event once, in order.
async function streams({ cutting, connect, check, notes }) {
  const to = 2000, began = Date.now();
  let n = 0, responses = 0, odd = '';
  const api = connect('desk', { url: cutting + '/desk', onResponse: () => responses++ });
  for await (const tick of api.tickets.watch({ to })) {
    if (tick.n !== ++n || tick.text !== 'ü\r\n\u2028😀'.repeat(n % 17)) odd ||= `event ${n} is ${text(tick)}`;
  }
  check('the events', [n, odd], [to, '']);
  check('connections', responses > 10, true);
  notes.push(`${n} events over ${responses} connections that were cut, in ${Date.now() - began} ms`);

  const once = connect('desk', { url: cutting + '/desk', attempts: 1 });
  let failed;
  try {
    for await (const _ of once.tickets.watch({ to }));
  } catch (e) {
    failed = [e.code, e.reason];
  }
  check('attempts: 1', failed, ['UNAVAILABLE', 'outcome_unknown']);

  // A QUERY is repeatable as a GET is.
  n = 0;
  for await (const tick of connect('entries', { url: cutting + '/entries' }).entries.follow({ to: 500 })) if (tick.n === n + 1) n++;
  check('the events of a QUERY', n, 500);

  const left = connect('desk');
  n = 0;
  for await (const tick of left.tickets.watch({ to: 5000 })) if (++n === 3) break;
  check('a loop that is left', n, 3);
}

// Answers that are lost before (b) and after (a) the server ran.
async function losses({ lossy, connect, check }) {
  const server = connect('desk')['things-x'];
  const call = async (name, plan, method, options = {}) => {
    const api = connect('desk', { url: lossy + '/desk', ...options })['things-x'];
    const got = await api[method].try({ name }, { headers: { 'X-Lose': plan, 'X-Row': name }, ...options.call });
    const { times } = await server.made({ name });
    return got.ok ? ['ok', got.value.times, times] : [got.error.code, got.error.reason, got.error.status, times];
  };
  const own = Math.random().toString(36).slice(2);
  let row = 0;
  for (const [plan, method, want, options] of [
    ['', 'make', ['ok', 1, 1]],
    ['b', 'make', ['ok', 1, 1]],
    ['a', 'make', ['ok', 1, 1]],
    ['ba', 'make', ['ok', 1, 1]],
    ['ab', 'make', ['ok', 1, 1]],
    ['aa', 'make', ['ok', 1, 1]],
    ['bbb', 'make', ['UNAVAILABLE', 'outcome_unknown', 0, 0]],
    ['aaa', 'make', ['UNAVAILABLE', 'outcome_unknown', 0, 1]],
    ['aaaa', 'make', ['ok', 1, 1], { attempts: 5 }],
    ['a', 'make', ['UNAVAILABLE', 'outcome_unknown', 0, 1], { attempts: 1 }],
    ['', 'add', ['ok', 1, 1]],
    ['b', 'add', ['UNAVAILABLE', 'outcome_unknown', 0, 0]],
    ['a', 'add', ['UNAVAILABLE', 'outcome_unknown', 0, 1]],
  ]) {
    check(`${method}, lost: "${plan}"`, await call(`${own}-${row++}`, plan, method, options), want);
  }
  // A key of the caller's own makes the second call a repetition of the first.
  const name = `${own}-own`, key = { call: { idempotencyKey: own } };
  await call(name, 'aaa', 'make', key);
  check('a key of the caller', await call(name, '', 'make', key), ['ok', 1, 1]);
  check('another key', await call(name, '', 'make'), ['ok', 2, 2]);
  // What reads is sent again.
  const api = connect('desk', { url: lossy + '/desk' })['things-x'];
  check('a lost read', await api.made({ name }, { headers: { 'X-Lose': 'ba', 'X-Row': own } }), { times: 2 });
}

// A token that is refused is asked for once more.
async function tokens({ connect, check }) {
  const asked = [];
  const api = connect('bookmarks', { token: async (refused) => (asked.push(refused ?? null), refused === undefined ? 'stale' : 'fresh') });
  const page = await api.bookmarks.list({});
  check('a page', Array.isArray(page.data), true);
  check('asked', asked, [null, 'stale']);
  const stale = connect('bookmarks', { token: () => 'stale' });
  const got = await stale.bookmarks.list.try({});
  check('a token that stays', got.ok || [got.error.code, got.error.reason, got.error.status], ['UNAUTHENTICATED', 'invalid_token', 401]);
  const none = await connect('bookmarks', { token: null }).bookmarks.list.try({});
  check('no token', none.ok || [none.error.code, none.error.status], ['UNAUTHENTICATED', 401]);
}

// A key goes along with links too. A cookie goes to another origin only if credentials say so.
async function keys({ base, lossy, connect, check, inBrowser }) {
  const url = connect('entries').entries.whose.url();
  check('a link', url, base + '/entries/entries/whose?key=fresh');
  check('what it has', await (await fetch(url)).json(), { name: 'ada' });
  const outcome = async (options) => {
    const got = await connect('members', { url: lossy + '/members', ...options }).members.save.try({ id: 4, title: 'New' });
    return got.ok ? got.value.status : [got.error.code, got.error.status];
  };
  if (!inBrowser) return;
  check('a cookie and another origin', await outcome({}), ['UNAUTHENTICATED', 401]);
  check('a cookie and another origin, with credentials', await outcome({ credentials: 'include' }), 201);
}

async function aborts({ connect, check }) {
  const api = connect('desk'), reason = new Error('enough');
  const thrown = async (f) => {
    try {
      await f();
    } catch (e) {
      return e === reason;
    }
  };
  check('a call', await thrown(() => api.tickets.list({}, { signal: AbortSignal.abort(reason) })), true);
  check('a try', await thrown(() => api.tickets.list.try({}, { signal: AbortSignal.abort(reason) })), true);
  const c = new AbortController();
  let n = 0;
  check('a stream', await thrown(async () => {
    for await (const _ of api.tickets.watch({ to: 1e6 }, { signal: c.signal })) if (++n === 3) c.abort(reason);
  }), true);
  check('items before it', n, 3);
}

async function addresses({ base, connect, check }) {
  const api = connect('desk');
  check('url', api.tickets.get.url({ id: 7 }), base + '/desk/tickets/7');
  check('url of a list', api.tickets.list.url({ page: 2, mood: ['calm', 'wild'] }), base + '/desk/tickets?page=2&mood=calm&mood=wild');
  const { queryKey, queryFn } = api.tickets.list.query({ page: 1 });
  check('queryKey', queryKey, ['Desk', 'tickets', 'list', { page: 1 }]);
  check('queryFn', Array.isArray((await queryFn({ signal: new AbortController().signal })).data), true);
}

// An integer that JavaScript cannot hold would reach another record.
async function integers({ base, connect, check }) {
  const api = connect('desk');
  await fetch(base + '/arrived');
  for (const id of [2 ** 53, -(2 ** 53), NaN, Infinity]) {
    const got = await api.tickets.get.try({ id });
    check(`the id ${id}`, got.ok || [got.error.code, got.error.violations[0]?.path], ['INVALID_ARGUMENT', '/id']);
  }
  const body = await api.tickets.update.try({ id: 2 ** 60, title: 'x' });
  check('in a PUT', body.ok || body.error.code, 'INVALID_ARGUMENT');
  check('what arrived', await (await fetch(base + '/arrived')).json(), null);
}

// Names and texts that would be code.
async function hostile({ connect, check, modules }) {
  const api = connect('hostile'), evil = api.prototype;
  check('a method delete', await evil.delete({ id: "*/'\"`${1}\u2028" }), { record: "*/'\"`${1}\u2028" });
  const nasty = JSON.parse('{"__proto__":"p","*/globalThis.hacked=9/*":"q","${globalThis.hacked=10}</script>":"r","delete":true,"a-b.c":7,"0":"e","values":"*/","constructor":{"__proto__":"x"}}');
  check('names of every object', JSON.stringify(Object.entries(await evil.constructor(nasty)).sort()), JSON.stringify(Object.entries(nasty).sort()));
  check('a resource __proto__', Object.hasOwn(api, '__proto__') && typeof (await api['__proto__'].toString()).At, 'string');
  check('a resource 1-class', await api['1-class'].url({}), { Code: 'x' });
  const then = await api.then.then.try({ id: 'x' });
  check('reason and details', then.ok || [then.error.reason, Object.keys(then.error.details)], ['constructor', ['__proto__']]);
  check('what is unknown', await evil.hasownproperty({ unknown: { a: [1.5, 2 ** 60] } }), { unknown: { a: [1.5, 2 ** 60] } });
  let events = 0, failed;
  try {
    for await (const item of evil.try({ id: 'x' })) events += item['a-b.c'];
  } catch (e) {
    failed = e.code;
  }
  check('a stream', [events, failed], [1, 'ABORTED']);
  check('values', Object.values(modules.hostile.values ?? {}).every(Array.isArray), true);
}

async function uploads({ connect, check, inBrowser }) {
  const api = connect('desk'), seen = [];
  const onProgress = (sent, total) => seen.push([sent, total]);
  const bytes = new Uint8Array(1 << 20).fill(65), wanted = { bytes: 1 << 20, type: 'image/png', note: '', start: 'AAAAAAAA' };
  check('a Blob', await api.tickets.attach({ id: 1, photo: new Blob([bytes], { type: 'image/png' }) }, { onProgress }), wanted);
  check('the last progress', seen.at(-1), [1 << 20, 1 << 20]);
  check('progress grows', seen.every(([sent], i) => i === 0 || sent >= seen[i - 1][0]), true);
  const untyped = await api.tickets.attach.try({ id: 1, photo: bytes });
  check('a buffer without a type', untyped.ok || untyped.error.at('/photo'), 'must be a Blob of image/png or image/jpeg');
  if (!inBrowser) {
    const stream = new Blob([bytes]).stream();
    const got = await api.tickets.attach.try({ id: 1, photo: stream });
    check('a stream without a type', got.ok || got.error.violations[0]?.rule, 'contentType');
  }
}

async function responses({ connect, check }) {
  const seen = [];
  const api = connect('desk', { headers: { 'X-Mine': '1' }, onResponse: (r) => seen.push(r.status), fetch: (url, init) => (seen.push(new Headers(init.headers).get('X-Mine')), fetch(url, init)) });
  await api.tickets.list({});
  await api.tickets.get.try({ id: 12345 });
  check('fetch and onResponse', seen, ['1', 200, '1', 404]);
}
