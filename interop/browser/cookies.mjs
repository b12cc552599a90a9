// Opens pages of three origins in Chromium and Firefox: that of a service whose callers are known
// by a cookie, that of another port of its host, to which browsers send the cookie along, and that
// of another site. Only the first may change something, with any verb, over any transport.
import { chromium, firefox } from 'playwright-core'
import { execFileSync } from 'node:child_process'

const { server, same, other } = JSON.parse(process.argv[2])
let failed = 0

function check(name, got, want) {
  const ok = JSON.stringify(got) === JSON.stringify(want)
  if (!ok) failed++
  console.log(ok ? `ok: ${name}` : `FAILED: ${name}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
}

const json = 'application/json'
const rpc = '{"jsonrpc":"2.0","id":1,"method":"vault.add"}'
const tool = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault_add","arguments":{}}}'
const calls = []
for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b', json]) {
  calls.push(['POST', '/vault', type, ''], ['POST', '/rpc', type, rpc], ['POST', '/mcp', type, tool])
}
calls.push(['PUT', '/vault', json, '{"id":"a","n":1}'], ['PATCH', '/vault', json, '{"id":"a","n":1}'], ['DELETE', '/vault', json, ''])

// send makes a page send a request in two ways: as one that reads the answer, and blindly.
const send = ([verb, path, type, body]) => async (page) =>
  page.evaluate(
    async ([url, verb, type, body]) => {
      const answers = []
      for (const mode of ['cors', 'no-cors']) {
        try {
          const init = { method: verb, mode, credentials: 'include', headers: { 'Content-Type': type } }
          if (body) init.body = body
          answers.push((await fetch(url, init)).status)
        } catch (err) {
          answers.push(err.name)
        }
      }
      return answers
    },
    [server + path, verb, type, body],
  )

// submit makes a page send a form, as a click of its reader would.
async function submit(page, origin, path, enctype) {
  await page.goto(origin)
  await Promise.all([
    page.waitForURL(server + path, { waitUntil: 'commit' }),
    page.evaluate(
      ([url, enctype]) => {
        const form = document.body.appendChild(document.createElement('form'))
        Object.assign(form, { method: 'post', action: url, enctype })
        form.submit()
      },
      [server + path, enctype],
    ),
  ])
}

const launchers = {
  Chromium: () => chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] }),
  Firefox: () => firefox.launch({ channel: 'moz-firefox', executablePath: execFileSync('sh', ['-c', 'command -v firefox-esr']).toString().trim() }),
}
for (const [name, launch] of Object.entries(launchers)) {
  const browser = await launch()
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  const own = await context.newPage()
  await own.goto(server + '/page')
  const ask = (path) => own.evaluate(async (url) => (await fetch(url)).text(), server + path)
  await ask('/login')
  const before = JSON.parse(await ask('/vault')).n
  const page = await context.newPage()
  for (const [kind, origin] of [['another port', same], ['another site', other]]) {
    await page.goto(origin)
    for (const call of calls) {
      const statuses = await send(call)(page)
      check(`${name}, ${kind}: ${call.slice(0, 3).join(' ')}`, statuses.some((s) => s >= 200 && s < 300), false)
    }
    for (const path of ['/vault', '/rpc', '/mcp']) {
      for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) await submit(page, origin, path, enctype)
    }
    check(`${name}, ${kind}: nothing has changed`, JSON.parse(await ask('/vault')).n, before)
    const refused = Number(await ask('/refused'))
    // Whether a cookie goes to another site is the browser's choice, which SameSite makes.
    if (kind === 'another port') check(`${name}, ${kind}: requests with the cookie were refused`, refused >= 9, true)
    console.log(`${name}, ${kind}: ${refused} requests with the cookie got 403`)
  }
  const mine = await send(['PUT', '/vault', json, '{"id":"a","n":1}'])(own)
  check(`${name}, the page of the service itself`, mine[0], 200)
  check(`${name}, and it has changed something`, JSON.parse(await ask('/vault')).n > before, true)
  await browser.close()
}
process.exit(failed ? 1 : 0)
