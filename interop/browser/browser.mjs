// Calls the server that the argument names from two pages of other origins, in
// Chromium: one that CORS allows and one that it does not. A page of the server's own
// origin has its cache revalidated, and lets writers race.
import { chromium } from 'playwright-core'

const { server, bare, allowed, refused } = JSON.parse(process.argv[2])
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
let failed = 0

function check(name, got, want) {
  const ok = JSON.stringify(got) === JSON.stringify(want)
  if (!ok) failed++
  console.log(ok ? `ok: ${name}` : `FAILED: ${name}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
}

// pageAt returns a function that fetches from a page of the origin. It returns what
// the page can read: the status, some headers and the text, or the name of an error.
async function pageAt(origin, path = '') {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(origin + path)
  return (path, init = {}, names = []) =>
    page.evaluate(
      async ([url, init, names]) => {
        try {
          const res = await fetch(url, init)
          return { status: res.status, headers: names.map((name) => res.headers.get(name)), text: await res.text() }
        } catch (err) {
          return { error: err.name }
        }
      },
      [new URL(path, server).href, init, names],
    )
}

const blocked = { error: 'TypeError' }
const json = { 'Content-Type': 'application/json' }
const basic = { Authorization: 'Basic ' + Buffer.from('ada:lovelace').toString('base64') }
const count = (n) => ({ status: 200, headers: [], text: `{"id":"a","n":${n}}` })
const challenge = 'Basic realm="staff", charset="UTF-8"'
const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'counter_api_list', arguments: {} } })

const mine = await pageAt(allowed)
const other = await pageAt(refused)

check('a simple request', await mine('/counter_api'), count(0))
check('a simple POST, which does not say JSON', await mine('/counter_api', { method: 'POST' }), count(1))
check('a preflighted PUT with a header of its own', await mine('/counter_api/a', { method: 'PUT', headers: { ...json, 'X-Trace': '1' }, body: '{"n":5}' }), count(5))
const query = (headers, n = 7) => ({ method: 'QUERY', headers: { ...json, ...headers }, body: `{"id":"a","n":${n}}` })
check('a preflighted QUERY', await mine('/counter_api', query(), ['ETag']), { status: 200, headers: ['"v7"'], text: '{"id":"a","n":7}' })
check('a QUERY whose answer the page has', await mine('/counter_api', query({ 'If-None-Match': '"v7"' }), ['ETag']), { status: 304, headers: ['"v7"'], text: '' })
check('the next QUERY, which no cache answers', (await mine('/counter_api', query({}, 8))).text, '{"id":"a","n":8}')
check('a 404 that can be read', (await mine('/nowhere')).status, 404)
check('a 405 that can be read', (await mine('/counter_api', { method: 'DELETE' })).status, 405)
check('without credentials no cookie comes', (await mine('/me')).text, 'nobody')
check('a login', (await mine('/login', { method: 'POST', credentials: 'include' })).status, 200)
check('with credentials the cookie comes', (await mine('/me', { credentials: 'include' })).text, 's1')
check('a 401 that can be read', await mine('/private', {}, ['WWW-Authenticate']).then((r) => [r.status, r.headers[0]]), [401, challenge])
check('a password', (await mine('/private', { headers: basic })).text, 'private')
check('MCP without a password', await mine('/mcp', { method: 'POST', headers: json, body: call }, ['WWW-Authenticate']).then((r) => [r.status, r.headers[0]]), [401, challenge])
const answer = await mine('/mcp', { method: 'POST', headers: { ...json, ...basic, 'MCP-Protocol-Version': '2025-11-25' }, body: call })
check('MCP with a password', [answer.status, JSON.parse(answer.text).result?.structuredContent], [200, { id: 'a', n: 5 }])

// How a client in a page finds out where to log in: by the challenge of a 401, and
// by the document that it names.
const wellKnown = '/.well-known/oauth-protected-resource/bearer'
const metadata = (url) => ({ status: 200, headers: [], text: JSON.stringify({ resource: url + '/bearer', authorization_servers: ['https://login.example'], scopes_supported: ['count'], bearer_methods_supported: ['header'] }) })
const asked = { headers: { 'MCP-Protocol-Version': '2025-11-25' } } // for which a browser asks first
const bearer = (token) => ({ method: 'POST', headers: { ...json, ...asked.headers, ...token }, body: call })
const login = await mine('/bearer', bearer(), ['WWW-Authenticate'])
check('a 401 of Bearer', [login.status, login.headers[0]], [401, `Bearer scope="count", resource_metadata="${server}${wellKnown}"`])
check('the metadata that it names', await mine(login.headers[0].match(/resource_metadata="(.*)"/)[1], asked), metadata(server))
check('a token that is not good', await mine('/bearer', bearer({ Authorization: 'Bearer x' }), ['WWW-Authenticate']).then((r) => [r.status, r.headers[0].split(',')[0]]), [401, 'Bearer error="invalid_token"'])
check('another origin: a 401 of Bearer', await other('/bearer', bearer()), blocked)
check('another origin: the metadata', await other(wellKnown), metadata(server))
for (const [name, page] of [['one', mine], ['another', other]]) {
  check(`a server without CORS: the metadata, from ${name} origin`, await page(bare + wellKnown, asked), metadata(bare))
  check(`a server without CORS: a 401, from ${name} origin`, await page(bare + '/bearer', bearer()), blocked)
}

check('another origin: a simple request', await other('/counter_api'), blocked)
check('another origin: a simple POST', await other('/counter_api', { method: 'POST' }), blocked)
check('another origin: a preflighted PUT', await other('/counter_api/a', { method: 'PUT', headers: json, body: '{"n":9}' }), blocked)
check('another origin: a QUERY', await other('/counter_api', query()), blocked)
check('another origin: with credentials', await other('/me', { credentials: 'include' }), blocked)
check('another origin: a 401', await other('/private'), blocked)
check('another origin: MCP', await other('/mcp', { method: 'POST', headers: { ...json, ...basic }, body: call }), blocked)
check('what another origin sent has changed nothing', await mine('/counter_api'), count(5))

// No answer says how long it is good for, so that a browser asks for each again with the
// ETag of the last one.
const own = await pageAt(server, '/page')
const version = (n) => ({ status: 200, headers: [`"v${n}"`], text: `{"id":"a","n":${n}}` })
await own('/answers')
check('a page reads a record', await own('/counter_api/a', {}, ['ETag']), version(1))
check('and again, from its cache', await own('/counter_api/a', {}, ['ETag']), version(1))
check('which were one whole answer and one 304', (await own('/answers')).text, '200, "v1" 304')
const change = { method: 'PATCH', headers: { 'If-Match': '"v1"' } }
const races = await Promise.all(Array.from({ length: 6 }, () => own('/counter_api/a', change, ['ETag'])))
check('of six writers who saw the same, one wins', races.map((r) => r.status).sort(), [200, 412, 412, 412, 412, 412])
check('and all are told of its version', races.every((r) => r.headers[0] === '"v2"'), true)
check('the page reads what has changed', await own('/counter_api/a', {}, ['ETag']), version(2))
check('which its cache did not have', (await own('/answers')).text, '"v1" 200')
check('a page of another origin reads it, with its ETag', await mine('/counter_api/a', {}, ['ETag']), version(2))
check('and again, from its cache', await mine('/counter_api/a', {}, ['ETag']), version(2))
check('and is told itself that it has it', await mine('/counter_api/a', { headers: { 'If-None-Match': '"v2"' } }, ['ETag']), { status: 304, headers: ['"v2"'], text: '' })
check('which were one whole answer and two of 304', (await own('/answers')).text, '200, "v2" 304, "v2" 304')
check('another origin: the record', await other('/counter_api/a'), blocked)

await browser.close()
process.exit(failed ? 1 : 0)
