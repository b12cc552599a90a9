// Looks at the text of the clients: how large they are, that client.js is client.ts without
// its types, and that the calls of a front end need little beside the client.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';

const [template] = process.argv.slice(2), faults = [];
const fetched = async (name) => Buffer.from(await (await fetch(new URL(name, template + '/'))).arrayBuffer());

// --- Sizes: of the template as it is served, without descriptions, and in a page that calls one method.
const typed = await fetched('client.ts'), plain = await fetched('client.js');
const bare = typed.toString().replace(/^ *\/\*\*?(?:(?!\*\/)[^])*\*\/\n/gm, '').replace(/^\/\/.*\n/gm, '');
const minified = (code) => gzipSync(transformSync(plain.toString().replace(/^export (?!function connect)/gm, '') + code, { minify: true, format: 'esm', target: 'es2022', treeShaking: true }).code, { level: 9 }).length;
console.log(`template: client.ts ${typed.length} bytes, ${bare.length} without comments; client.js ${plain.length}; minified and compressed in a page with one call ${minified('connect().todos.create({ title: "x" })')}`);

// What is not used costs nothing.
assert(minified('') < minified('globalThis.x = [rules, values, limits]'), 'rules and values stay when nothing uses them');

// --- client.js is client.ts without its types, whatever compiler takes them away.
const normal = (text, loader) => transformSync(text, { loader, minifyWhitespace: true, format: 'esm', target: 'es2022', charset: 'utf8' }).code.replace(/(class [\w ]+\{)((?:[a-z]\w*;)+)/g, '$1');
for (const name of [...readdirSync('dist').filter((n) => !n.includes('.')), null]) {
  const [ts, js] = name ? ['ts', 'js'].map((x) => readFileSync(`dist/${name}/client.${x}`, 'utf8')) : [typed.toString(), plain.toString()];
  assert.equal(normal(js, 'js'), normal(ts, 'ts'), `${name}: client.js is not client.ts without types`);
  assert(!/[‹›]/.test(ts + js), `${name}: a mark is left`);
  assert(!/@ts-|\bany\b\)?[;,)>]/.test(ts.replace(/^ *(\/\/|\*|\/\*).*$/gm, '').replace(/"(?:[^"\\]|\\.)*"/g, '')), `${name}: something is suppressed`);
}

// --- What a front end adds.
const [, glue] = readFileSync('wanted.ts', 'utf8').split(/^\/\/ glue: (?:begin|end)\n/m);
assert(glue.trim().split('\n').length <= 20, 'more than 20 lines of glue');
for (const f of faults) console.log('FAILED: ' + f);
if (faults.length) process.exit(1);
console.log('the text of the clients: ok');
