import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const TEMPLATE = "integrations/homebrew/toolkeep.rb";

/** The Homebrew formula of a tarball as it is published. */
export function formulaOf(
  root: string,
  { version, tarball }: Readonly<Record<"version" | "tarball", string>>,
) {
  const sha256 = createHash("sha256").update(readFileSync(tarball)).digest("hex");
  const values: Readonly<Record<string, string>> = { version, sha256 };
  return readFileSync(join(root, TEMPLATE), "utf8").replaceAll(
    /\{\{(\w+)\}\}/g,
    (all, name: string) => values[name] ?? all,
  );
}

/** What is wrong with a formula: what is left of the template, blocks that are not closed. */
export function formulaErrors(formula: string): readonly string[] {
  const opened = formula.match(/^\s*(?:class|def|test do)\b/gm)?.length ?? 0;
  const closed = formula.match(/^\s*end$/gm)?.length ?? 0;
  return [
    ...(/\{\{|\}\}/.test(formula) ? ["The formula has a value that was not filled in."] : []),
    ...(/^ {2}sha256 "[0-9a-f]{64}"$/m.test(formula) ? [] : ["The formula has no sha256."]),
    ...(opened === closed ? [] : [`The formula opens ${opened} blocks and closes ${closed}.`]),
  ];
}
