import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { differences, readBlock, replaceBlock } from "./readme-blocks.ts";
import { ROOT } from "./root.ts";
import { runProgram } from "./run-program.ts";

/** The pages that show examples and what they print. */
const PAGES = ["README.md", ...globSync("docs/guides/*.md", { cwd: ROOT }).sort()];

const { values: flags } = parseArgs({ options: { write: { type: "boolean", default: false } } });

const examples = globSync("examples/*.ts", { cwd: ROOT }).sort();
const pages = new Map(PAGES.map((page) => [page, readFileSync(join(ROOT, page), "utf8")]));
const errors = examples.length === 0 ? ["there are no examples"] : [];

for (const example of examples) {
  const end = await runProgram([process.execPath, "--conditions=@toolkeep/source", example]);
  if (end.code !== 0) errors.push(`${example} ended with ${end.code}\n${end.stdout}${end.stderr}`);
  else {
    compareBlock(example, readFileSync(join(ROOT, example), "utf8"));
    compareBlock(`output of ${example}`, end.stdout);
    console.log(`${example} ran`);
  }
}

for (const [page, text] of pages) {
  for (const comment of text.matchAll(/<!-- (?:output of )?(examples\/\S+) -->/g)) {
    if (!examples.includes(comment[1] ?? ""))
      errors.push(`${page} shows ${comment[1]}, which does not exist`);
  }
  if (flags.write) writeFileSync(join(ROOT, page), text);
}

for (const error of errors) console.error(error);
process.exitCode = errors.length === 0 ? 0 : 1;

/** Compares the block that a page has under this comment, if it has one, with what it should hold. */
function compareBlock(comment: string, expected: string): void {
  for (const [page, text] of pages) {
    const block = readBlock(text, comment);
    if (block === undefined) continue;
    if (flags.write) pages.set(page, replaceBlock(text, { comment, text: expected }));
    else if (block !== expected) {
      errors.push(
        `${page}, ${comment}: run \`npm run examples -- --write\`\n${differences(expected, block)}`,
      );
    }
  }
}
