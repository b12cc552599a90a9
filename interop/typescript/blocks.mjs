// Writes the TypeScript in the documents as modules beside the client of the template, for the
// compilers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const [template] = process.argv.slice(2);
mkdirSync('dist/doc', { recursive: true });
for (const name of ['client.ts', 'client.js']) writeFileSync('dist/doc/' + name, await (await fetch(`${template}/${name}`)).text());
const blocks = [...readFileSync('../../doc/browser.md', 'utf8').matchAll(/^```ts\r?\n([^]*?)^```/gm)].map((m) => m[1]);
if (blocks.length < 5) throw new Error(`doc/browser.md has ${blocks.length} blocks`);
writeFileSync('dist/doc/browser.ts', blocks.join('\n'));

// The blocks that need TanStack Query are a component.
const [screen] = [...readFileSync('../../doc/browser.md', 'utf8').matchAll(/^```tsx\r?\n([^]*?)^```/gm)].map((m) => m[1]);
writeFileSync('dist/doc/queries.ts', `import { QueryClient, infiniteQueryOptions, queryOptions, useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { connect } from "./client.ts";
const api = connect({ url: "/" });
const cache = new QueryClient();
export function Screen() {
${screen}
  return { data, error, fetchNextPage, hasNextPage, mutate };
}
`);
