// Holds documents to the linters: redocly's recommended rules without an error
// and without a warning, spectral's without an error.
//
//   node lint.mjs FILE...
import { spawnSync } from "node:child_process";

const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
const files = process.argv.slice(2);
let failed = false;

function run(command, args) {
  const { stdout, stderr, status, error } = spawnSync(`node_modules/.bin/${command}`, args, { encoding: "utf8", env, maxBuffer: 1 << 26 });
  if (error) throw error;
  return { stdout, stderr, status };
}

for (const file of files) {
  const redocly = run("redocly", ["lint", "--config=redocly.yaml", "--format=json", "--max-problems=1000", file]);
  const { totals, problems } = JSON.parse(redocly.stdout.slice(redocly.stdout.indexOf("{")));
  if (totals.errors + totals.warnings + totals.ignored > 0 || redocly.status !== 0) {
    failed = true;
    for (const p of problems) console.log(`${file}: redocly ${p.severity} ${p.ruleId}: ${p.message} at ${p.location?.[0]?.pointer}`);
  }
  const spectral = run("spectral", ["lint", "--ruleset=spectral.yaml", "--format=json", "--quiet", "--fail-severity=error", file]);
  const findings = JSON.parse(spectral.stdout);
  const errors = findings.filter((f) => f.severity === 0);
  if (errors.length > 0 || spectral.status !== 0) {
    failed = true;
    for (const e of errors) console.log(`${file}: spectral ${e.code}: ${e.message} at ${e.path.join("/")}`);
    if (errors.length === 0) console.log(`${file}: spectral exits with ${spectral.status}: ${spectral.stderr}`);
  }
  console.log(`${file}: redocly ${totals.errors} errors, ${totals.warnings} warnings; spectral ${errors.length} errors`);
}
process.exit(failed ? 1 : 0);
