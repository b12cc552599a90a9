// Takes enum [null] out of a document, for oapi-codegen alone: up to 2.8.2 it
// makes a constant of it, which no Go compiler takes unless the type is a
// string. Everybody else reads the document as it is.
import { readFileSync, writeFileSync } from "node:fs";

const [from, to] = process.argv.slice(2);
const doc = JSON.parse(readFileSync(from, "utf8"), (_, v) => {
  if (v?.nullable === true && v.enum?.length === 1 && v.enum[0] === null) {
    delete v.enum;
  }
  return v;
});
writeFileSync(to, JSON.stringify(doc));
