// Talks to the JSON-RPC endpoint given as the argument with the npm package
// json-rpc-2.0, and validates the document of rpc.discover.
"use strict";

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const Ajv = require("ajv").default;
const addFormats = require("ajv-formats").default;
const { JSONRPCClient, JSONRPCErrorException, createJSONRPCRequest, createJSONRPCNotification } = require("json-rpc-2.0");
const jsonSchema = require("@json-schema-tools/meta-schema").default;
const openRPC = require("@open-rpc/meta-schema").default;

const url = process.argv[2];

async function post(request) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
  return response;
}

const client = new JSONRPCClient(async (request) => {
  const response = await post(request);
  if (response.status === 200) {
    client.receive(await response.json());
  } else {
    assert.equal(response.status, 204);
    assert.equal(await response.text(), "");
  }
});

async function fails(call, code, name) {
  await assert.rejects(call, (err) => {
    assert.ok(err instanceof JSONRPCErrorException, String(err));
    assert.equal(err.code, code);
    assert.equal(err.data.code, name);
    return true;
  });
}

async function calls() {
  const made = await client.request("todos.create", { title: "Buy milk" });
  assert.equal(made.title, "Buy milk");
  assert.deepEqual(await client.request("todos.get", { id: made.id }), made);
  await fails(client.request("todos.get", { id: "none" }), -32005, "NOT_FOUND");
  await fails(client.request("todos.create", { title: "" }), -32602, "INVALID_ARGUMENT");
  await fails(client.request("todos.create", ["Buy milk"]), -32602, "INVALID_ARGUMENT");
  await fails(client.request("todos.burn", {}), -32601, "UNIMPLEMENTED");
  await client.send(createJSONRPCNotification("todos.delete", { id: made.id }));
  await fails(client.request("todos.get", { id: made.id }), -32005, "NOT_FOUND");
}

async function batches() {
  const requests = [];
  for (let i = 0; i < 50; i++) {
    requests.push(createJSONRPCRequest(`batch-${i}`, "todos.create", { title: `todo ${i}` }));
  }
  requests.push(createJSONRPCRequest("last", "todos.get", { id: "none" }));
  const responses = await client.requestAdvanced(requests);
  assert.equal(responses.length, 51);
  for (let i = 0; i < 50; i++) {
    assert.equal(responses[i].id, `batch-${i}`);
    assert.equal(responses[i].result.title, `todo ${i}`);
  }
  assert.equal(responses[50].error.code, -32005);
  await client.send([createJSONRPCNotification("todos.archive"), createJSONRPCNotification("todos.burn")]);
}

// checkDocument throws unless document is an OpenRPC document whose schemas a
// validator can use.
function checkDocument(document) {
  const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(jsonSchema, "https://meta.json-schema.tools");
  const validate = ajv.compile(openRPC);
  assert.ok(validate(document), JSON.stringify(validate.errors, null, 1));
  for (const method of document.methods) {
    for (const param of method.params) {
      ajv.compile({ $id: `${method.name}/${param.name}`, ...param.schema, components: document.components });
    }
    ajv.compile({ $id: `${method.name}/result`, ...method.result.schema, components: document.components });
  }
  // A validator that takes anything would pass too.
  assert.ok(!validate({ ...document, methods: [{ name: "x" }] }));
  assert.ok(!validate({ ...document, methods: [{ ...document.methods[0], params: [{ name: "x", schema: { type: 1 } }] }] }));
}

async function main() {
  await calls();
  await batches();
  console.log("json-rpc-2.0: calls, errors, notifications and batches are understood");
  checkDocument(await client.request("rpc.discover"));
  for (const name of ["discover", "discover_callers"]) { // of services with every kind of field, and with every need of callers
    checkDocument(JSON.parse(readFileSync(`../../internal/blackbox/testdata/rpc/${name}.txt`)).result);
  }
  console.log("OpenRPC: the documents are valid");
}

main().catch((err) => {
  console.error(err);
  process.exitCode = 1;
});
