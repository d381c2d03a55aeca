import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./root.ts";
import { UNCHECKED } from "./words/exceptions.ts";
import { findRetiredWords, type RetiredUse } from "./words/find-words.ts";
import { RETIRED_WORDS } from "./words/retired-words.ts";

/*
 * Finds words that the project no longer uses: in identifiers, codes, file names, messages, comments, test titles
 * and documents. `npm run words -- packages/node` checks one folder; `--json` lists the uses; `--write` writes the
 * table of old names.
 */
const { values: flags, positionals: folders } = parseArgs({
  options: { json: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
  allowPositionals: true,
});
const TABLE = join(ROOT, "docs/old-names.md");
const CHECKED = /\.(?:ts|mts|tsx|md|json|jsonl|ya?ml|py|sh)$|^\.ci\/run$/;

const uses = files().flatMap((path) =>
  findRetiredWords({ path, text: readFileSync(join(ROOT, path), "utf8") }),
);
if (flags.write) writeFileSync(TABLE, table());
const isTableStale = !existsSync(TABLE) || readFileSync(TABLE, "utf8") !== table();

if (flags.json) console.log(JSON.stringify({ name: "words", uses, isTableStale }));
else {
  for (const use of uses) console.log(lineOf(use));
  if (uses.length > 0)
    console.log(
      `\n${uses.length} uses of retired words in ${new Set(uses.map(({ path }) => path)).size} files`,
    );
  if (isTableStale) console.log("docs/old-names.md is out of date: run `npm run words -- --write`");
}
if (uses.length > 0 || isTableStale) process.exitCode = 1;

function files(): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z", "--", ...folders], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return listed
    .split("\0")
    .filter(
      (path) =>
        CHECKED.test(path) &&
        existsSync(join(ROOT, path)) &&
        !UNCHECKED.some((pattern) => pattern.test(path)),
    );
}

function lineOf({ path, line, column, word, say }: RetiredUse): string {
  const place = line === 0 ? path : `${path}:${line}:${column}`;
  return `${place}  ${word.replaceAll(/\s+/g, " ")}  →  ${say}`;
}

function table(): string {
  const rows = RETIRED_WORDS.map(({ old, say }) => `| ${old} | ${say} |`);
  return `<!-- biome-ignore-all format: aligned tables would change as a whole with every row -->

# Old names

Commits and decision records from before version 0.1 use the words on the left. The project now uses the words on
the right; \`npm run words\` finds the old ones. This page is written by \`npm run words -- --write\`.

| old | now |
|---|---|
${rows.join("\n")}
`;
}
