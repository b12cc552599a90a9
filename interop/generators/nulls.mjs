// Holds the null of the document to nulls.json with ajv.
//
//   node nulls.mjs FILE
import { readFileSync } from "node:fs";
import Ajv from "ajv";

const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false });
ajv.addSchema(read(process.argv[2]), "document");
let values = 0;
for (const { schema, property, accept, reject } of read("nulls.json")) {
  const validate = ajv.compile({ $ref: `document#/components/schemas/${schema}/properties/${property}` });
  for (const [list, want] of [[accept, true], [reject, false]]) {
    for (const value of list) {
      values++;
      if (validate(value) !== want) {
        console.log(`FAILED: ajv: ${schema}.${property}: ${JSON.stringify(value)} is not ${want ? "accepted" : "rejected"}`);
        process.exitCode = 1;
      }
    }
  }
}
console.log(`ajv: ${values} values, null among them`);
