// Reads lines of JSON from standard input, and answers each with a line:
//
//	{"sign": {secret, id, time, body}}          the signature
//	{"verify": {secret, headers, body}}         "ok", or the error
const { Webhook } = require('standardwebhooks');
const { createInterface } = require('node:readline');

createInterface({ input: process.stdin }).on('line', (line) => {
  const { sign, verify } = JSON.parse(line);
  if (sign) {
    console.log(new Webhook(sign.secret).sign(sign.id, new Date(sign.time * 1000), sign.body));
    return;
  }
  try {
    new Webhook(verify.secret).verify(verify.body, verify.headers);
    console.log('ok');
  } catch (err) {
    console.log(String(err.message).split('\n')[0]);
  }
});
