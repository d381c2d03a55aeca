// Checks policy files, runs their tests, and annotates what fails. Needs nothing but Node and npm.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const files = (process.env.POLICY_FILES ?? "policy.yaml").split(/\s+/).filter((file) => file !== "");
const report = process.env.POLICY_REPORT ?? "";

const checked = toolkeep("check", "--strict", "--json", ...files);
for (const { diagnostics, warnings } of parsed(checked).files ?? [])
  for (const found of [...diagnostics, ...warnings]) annotate(found, found.message);

const tested = toolkeep("test", "--json", ...files);
const suites = parsed(tested);
for (const { file, results } of suites)
  for (const { line, call, expect, action, isPassed, text } of results) {
    if (!isPassed) annotate({ file, line }, `${call}: expected ${expect}, got ${action}\n${text}`);
  }

if (report !== "") writeFileSync(report, toolkeep("test", "--format", "junit", ...files).stdout);
const passed = suites.flatMap(({ results }) => results).filter(({ isPassed }) => isPassed);
console.log(`${passed.length} tests of policies passed.`);
process.exitCode = checked.status || tested.status || 0;

/** Runs `toolkeep policy …`. On Windows, npx is a script that only a shell starts, so no name may mean more to it. */
function toolkeep(...args) {
  const shell = process.platform === "win32";
  const odd = args.find((arg) => shell && !/^[\w./\\@:-]+$/.test(arg));
  if (odd !== undefined) throw new Error(`The name ${odd} cannot be used on Windows.`);
  const line = ["--yes", `--package=${process.env.TOOLKEEP_PACKAGE}`, "toolkeep", "policy", ...args];
  const end = spawnSync("npx", line, { encoding: "utf8", shell, maxBuffer: 1e8 });
  if (end.error !== undefined) throw end.error;
  return end;
}

/** What the program printed as JSON. Without it, the job fails with what it said. */
function parsed({ stdout, stderr, status }) {
  try {
    return JSON.parse(stdout);
  } catch {
    console.log(stderr);
    annotate({}, `toolkeep ended with ${status}: ${stderr || stdout}`);
    process.exit(status || 1);
  }
}

function annotate({ file, line, column }, message) {
  const at = Object.entries({ file, line, col: column }).filter(([, value]) => value !== undefined);
  const place = at.map(([name, value]) => `${name}=${escaped(String(value), /[%\r\n:,]/g)}`).join(",");
  console.log(`::error ${place}::${escaped(message, /[%\r\n]/g)}`);
}

/** The text as a workflow command has it: a line of a policy cannot begin another command. */
function escaped(text, special) {
  return text.replace(special, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}
