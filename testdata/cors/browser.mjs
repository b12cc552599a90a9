// Calls the server that the argument names from two pages of other origins, in
// Chromium: one that CORS allows and one that it does not.
import { chromium } from 'playwright-core'

const { server, allowed, refused } = JSON.parse(process.argv[2])
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
let failed = 0

function check(name, got, want) {
  const ok = JSON.stringify(got) === JSON.stringify(want)
  if (!ok) failed++
  console.log(ok ? `ok: ${name}` : `FAILED: ${name}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
}

// pageAt returns a function that fetches from a page of the origin. It returns what
// the page can read: the status, some headers and the text, or the name of an error.
async function pageAt(origin) {
  const page = await browser.newPage()
  await page.goto(origin)
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
      [server + path, init, names],
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

check('another origin: a simple request', await other('/counter_api'), blocked)
check('another origin: a simple POST', await other('/counter_api', { method: 'POST' }), blocked)
check('another origin: a preflighted PUT', await other('/counter_api/a', { method: 'PUT', headers: json, body: '{"n":9}' }), blocked)
check('another origin: with credentials', await other('/me', { credentials: 'include' }), blocked)
check('another origin: a 401', await other('/private'), blocked)
check('another origin: MCP', await other('/mcp', { method: 'POST', headers: { ...json, ...basic }, body: call }), blocked)
check('what another origin sent has changed nothing', await mine('/counter_api'), count(5))

await browser.close()
process.exit(failed ? 1 : 0)
