// Runs the clients in Node, Deno or Bun, from their TypeScript as it was served.
import { run } from './run.mjs';

const [base, cutting, lossy, dist] = process.argv.slice(2);
const result = await run({ base, cutting, lossy, load: (name) => import(`./${dist}/${name}/client.ts`) });

// The program of the example, which is in TypeScript as the client is.
const { tour } = await import('../../examples/bookmarks/calls.ts');
await fetch(base + '/reset', { method: 'POST' });
const lines = [];
await tour(base + '/bookmarks', 'fresh', (line) => lines.push(line)).catch((e) => lines.push(String(e)));
const wanted = [
  'made The Go language', 'it was there already', 'the title must have at least 1 character', 'listed The Go language: https://go.dev/tour', 'somebody was faster',
  'imported 1, known 0', 'exported text/csv, true', 'watched Go', 'NOT_FOUND: there is no such bookmark', 'titles have at most 400 units',
];
if (JSON.stringify(lines) !== JSON.stringify(wanted)) result.Faults.push('the program of the example says ' + JSON.stringify(lines, null, 1));
process.stdout.write(JSON.stringify(result), () => process.exit(0));
