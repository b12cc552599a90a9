// What the clients in JavaScript send to the kitchen, and what they must be able to resolve.
import assert from 'node:assert/strict';

const ada = { name: 'Ada', street: '1 High Street', city: 'Bath', land: 'GB' };
export const order = { billing: ada, lines: [{ sender: ada, product: 'p', count: 1 }], parts: [{ billing: ada, lines: [] }] };
export const wrong = { ...order, parts: [{ billing: { ...ada, land: 'Great Britain' }, lines: [] }] };
export const wrongAt = '/parts/0/billing/land';

// follow returns how many $refs are in a schema, each of which must be of a type in defs.
function follow(schema, defs) {
  if (schema === null || typeof schema !== 'object') return 0;
  let n = 0;
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$ref') {
      assert.ok(value.startsWith('#/$defs/') && defs?.[value.slice('#/$defs/'.length)], value);
      n++;
    } else n += follow(value, defs);
  }
  return n;
}

// checkRefs resolves each $ref in a list of tools.
export function checkRefs(tools) {
  const schemas = tools.flatMap((tool) => [tool.inputSchema, tool.outputSchema]).filter(Boolean);
  const withRefs = schemas.filter((schema) => follow(schema, schema.$defs) > 0);
  assert.ok(tools.length === 41 && withRefs.length === 10, `${tools.length} tools, ${withRefs.length} schemas with $refs`);
}
