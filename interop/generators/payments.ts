// Calls the payments, whose errors have a form of their own, with openapi-fetch on the
// types that openapi-typescript makes. What does not compile is checked too.
//
//   node dist/js/payments.js URL
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./dist/payments.js";

type Refund = paths["/payments/{id}/refund"]["post"]["responses"];
type Form = components["schemas"]["PaymentErrors"];
const conflict: Refund[409]["content"]["application/json"] = { errors: [{ code: "already_exists", message: "already refunded" }] };
// @ts-expect-error: this status is not declared
type Teapot = Refund[418];

const client = createClient<paths>({ baseUrl: process.argv[2] });
const refund = () => client.POST("/payments/{id}/refund", { params: { path: { id: "p1" } } });
assert.equal((await refund()).response.status, 401);
client.use({
  onRequest({ request }) {
    request.headers.set("X-API-Key", "k");
    return request;
  },
});

const refused = await refund();
if (refused.data) {
  throw new Error("it has been refunded twice");
}
const form: Form = refused.error; // neither never nor the envelope
assert.equal(refused.response.status, 409);
assert.deepEqual(form, conflict);

const invalid = await client.POST("/payments", { body: { amount: 0 } });
assert.equal(invalid.response.status, 422);
assert.equal(invalid.error?.errors[0]?.field, "amount");
const made = await client.POST("/payments", { body: { amount: 7 } });
assert.equal(made.data?.amount, 7);
console.log("openapi-fetch: the errors of the payments have their type, a 409 of its own among them");
