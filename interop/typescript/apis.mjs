// Holds what the runtime of client.ts uses of its platform to the oldest that it promises: Chrome 111 and Safari
// 16.4, for which Vite builds, and Node 20. The versions are those of MDN. It also writes dist/deleted.json, the
// list of what those two browsers lack: browser.mjs deletes that before the script of a page runs.
import { readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';

const oldest = { chrome: 111, safari: 16.4, nodejs: 20 };
const mdn = JSON.parse(readFileSync('node_modules/@mdn/browser-compat-data/data.json', 'utf8'));
const { api, javascript: { builtins } } = mdn;

/** The first version of a browser that has an entry without a flag, Infinity if none has. */
function since(entry, browser) {
  const rows = [entry.__compat.support[browser] ?? []].flat().filter((row) => !row.flags && !(row.partial_implementation && browser !== 'nodejs') && !row.prefix && !row.alternative_name);
  const versions = rows.filter((row) => typeof row.version_added === 'string' && !row.version_removed).map((row) => parseFloat(row.version_added.replace('≤', '')));
  return Math.min(Infinity, ...versions);
}

// --- What client.ts uses: members and global names that the types of the platform declare.
const [client] = process.argv.slice(2);
const program = ts.createProgram([client], { target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], strict: true, types: [] });
const checker = program.getTypeChecker();
const used = new Map();
const isPlatform = (node) => /\/lib\.[^/]*\.d\.ts$/.test(node.getSourceFile().fileName);
(function visit(node) {
  if (ts.isIdentifier(node) && !ts.isTypeNode(node.parent)) {
    let symbol = checker.getSymbolAtLocation(node);
    if (ts.isBindingElement(node.parent) && (node.parent.propertyName ?? node.parent.name) === node) {
      symbol = checker.getTypeAtLocation(node.parent.parent).getProperty(node.text) ?? symbol;
    }
    for (const declaration of symbol?.declarations ?? []) {
      if (!isPlatform(declaration)) continue;
      const outer = ts.isTypeLiteralNode(declaration.parent) ? declaration.parent.parent : declaration.parent; // var X: { … }
      const parent = ts.isInterfaceDeclaration(outer) || outer !== declaration.parent && ts.isVariableDeclaration(outer) ? outer.name.text : '';
      if (parent || ts.isVariableDeclaration(declaration) || ts.isFunctionDeclaration(declaration)) used.set(`${parent}.${node.text}`, [parent, node.text]);
    }
  }
  ts.forEachChild(node, visit);
})(program.getSourceFile(client));

// What TypeScript calls by another name than MDN, and its interfaces for what is no object of the platform.
const names = { Body: 'Response', ReadonlyArray: 'Array', Uint32Array: 'TypedArray', Uint8Array: 'TypedArray', ReadableStreamGenericReader: 'ReadableStreamDefaultReader', CallableFunction: 'Function' };
const records = /^(PromiseLike|Iterator\w*|AsyncIterator\w*|AsyncGenerator|Generator|IteratorYieldResult|\w+(Init|Options|Bag|Result)|TemplateStringsArray|RegExpExecArray|RegExpMatchArray|ErrorOptions|ArrayLike)$/;
const faults = [];
for (const [key, [parent, name]] of used) {
  const owner = parent.replace(/Constructor$/, '');
  const type = names[owner] ?? owner;
  const place = builtins[type] ?? api[type];
  const inherited = parent && place && !place[name] ? api.EventTarget[name] : undefined; // as AbortSignal has it
  const entry = parent ? inherited ?? place?.[name] ?? place?.[name + '_static'] : builtins[name] ?? api[name] ?? builtins.globalThis?.[name];
  if (records.test(parent)) continue;
  if (!entry?.__compat) {
    faults.push(`MDN has no ${key}`);
    continue;
  }
  for (const [browser, version] of Object.entries(oldest)) {
    const first = since(entry, browser);
    if (entry.__compat.support[browser] && first > version) faults.push(`${key} is there since ${browser} ${first}, want ${version}`);
  }
}
for (const f of faults) console.log('FAILED: ' + f);

// --- What the oldest browsers lack: [interface, member, whether it is one of the constructor], or [global].
const deleted = [];
for (const [group, entries] of [['api', api], ['builtins', builtins]]) {
  for (const [name, members] of Object.entries(entries)) {
    const isLate = (entry) => entry.__compat && (since(entry, 'chrome') > oldest.chrome || since(entry, 'safari') > oldest.safari);
    if (!members.__compat) continue;
    if (isLate(members)) deleted.push([name]);
    for (const [member, entry] of Object.entries(members)) {
      if (member === '__compat' || member === name || !entry.__compat) continue;
      const isStatic = member.endsWith('_static') || group === 'builtins' && Object.hasOwn(globalThis[name] ?? {}, member);
      if (isLate(entry)) deleted.push([name, member.replace(/_(static|event)$/, ''), isStatic]);
    }
  }
}
writeFileSync('dist/deleted.json', JSON.stringify(deleted));
if (faults.length) process.exit(1);
console.log(`APIs: ${used.size} are in Chrome 111, Safari 16.4 and Node 20; ${deleted.length} are not in those browsers`);
