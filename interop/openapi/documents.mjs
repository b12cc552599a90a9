// Holds documents to the official meta-schemas of OpenAPI, and to swagger-parser,
// which also follows every reference.
//
//   node documents.mjs FILE...
import { readFileSync } from "node:fs";
import { validate as validate30 } from "@hyperjump/json-schema/openapi-3-0";
import { validate as validate31 } from "@hyperjump/json-schema/openapi-3-1";
import { validate as validate32 } from "@hyperjump/json-schema/openapi-3-2";
import SwaggerParser from "@apidevtools/swagger-parser";

// They come with the package, as the OpenAPI Initiative publishes them. The last two
// include what a Schema Object may be.
const metaSchemas = {
  "3.0.3": [validate30, "https://spec.openapis.org/oas/3.0/schema"],
  "3.1.0": [validate31, "https://spec.openapis.org/oas/3.1/schema-base"],
  "3.2.0": [validate32, "https://spec.openapis.org/oas/3.2/schema-base"],
};

let failed = false;
function fail(file, what) {
  failed = true;
  console.log(`${file}: ${what}`);
}

for (const file of process.argv.slice(2)) {
  const doc = JSON.parse(readFileSync(file, "utf8"));
  const [validate, url] = metaSchemas[doc.openapi];
  const output = await validate(url, doc, "BASIC");
  if (!output.valid) {
    fail(file, `does not satisfy ${url}: ${JSON.stringify(output.errors?.slice(0, 20), null, 1)}`);
  }
  if (doc.openapi === "3.2.0") {
    console.log(`${file}: meta-schema ${url}`); // swagger-parser does not know 3.2
    continue;
  }
  try {
    await SwaggerParser.validate(structuredClone(doc));
  } catch (err) {
    fail(file, `swagger-parser: ${err}`);
  }
  console.log(`${file}: meta-schema ${url} and swagger-parser`);
}

// A check that lets everything through would look like this one.
for (const [version, [validate, url]] of Object.entries(metaSchemas)) {
  const wrong = { openapi: version, info: { title: "x", version: "1" }, paths: { "/x": { get: { responses: { 200: { description: 5 } } } } } };
  if ((await validate(url, wrong)).valid) {
    fail(url, "accepts a response whose description is a number");
  }
}
process.exit(failed ? 1 : 0);
