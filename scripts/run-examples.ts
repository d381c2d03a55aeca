import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { differences, readBlock, replaceBlock } from "./readme-blocks.ts";
import { ROOT } from "./root.ts";
import { runProgram } from "./run-program.ts";

const README = join(ROOT, "README.md");

const { values: flags } = parseArgs({ options: { write: { type: "boolean", default: false } } });

const examples = globSync("examples/[0-9][0-9]-*.ts", { cwd: ROOT }).sort();
let readme = readFileSync(README, "utf8");
const faults = examples.length === 0 ? ["there are no examples"] : [];

for (const example of examples) {
  const end = await runProgram([process.execPath, "--conditions=@toolkeep/source", example]);
  if (end.code !== 0) faults.push(`${example} ended with ${end.code}\n${end.stdout}${end.stderr}`);
  else {
    compareBlock(example, readFileSync(join(ROOT, example), "utf8"));
    compareBlock(`output of ${example}`, end.stdout);
    console.log(`${example} ran`);
  }
}

for (const comment of readme.matchAll(/<!-- (?:output of )?(examples\/\S+) -->/g)) {
  if (!examples.includes(comment[1] ?? ""))
    faults.push(`README.md shows ${comment[1]}, which does not exist`);
}

if (flags.write) writeFileSync(README, readme);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

/** Compares a block of the README, if it has one under this comment, with what it should hold. */
function compareBlock(comment: string, expected: string): void {
  const block = readBlock(readme, comment);
  if (block === undefined) return;
  if (flags.write) readme = replaceBlock(readme, { comment, text: expected });
  else if (block !== expected) {
    faults.push(
      `README.md, ${comment}: run \`npm run examples -- --write\`\n${differences(expected, block)}`,
    );
  }
}
