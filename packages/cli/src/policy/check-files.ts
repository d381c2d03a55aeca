import type { Diagnostic } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { checkedFile, policyFiles } from "../project/policy-files.ts";
import { EXIT } from "../terminal/command-error.ts";
import { counted } from "../terminal/counted.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { mistypedIn } from "./mistyped-names.ts";
import { ruleNote } from "./rule-notes.ts";

export interface CheckOptions {
  readonly files: readonly string[];
  /** Whether warnings fail too. */
  readonly strict?: boolean;
}

/** Shows the errors of policy files, what is probably a mistake, each with its line and the fix, and what rules leave out. */
export async function checkFiles(
  { files, strict = false }: CheckOptions,
  terminal: Terminal,
): Promise<number> {
  const named = await policyFiles(files, terminal);
  const all = named.map(async (file) => {
    const { file: parsed, diagnostics, warnings: ofFile } = checkedFile(file);
    const warnings = [...ofFile, ...(await mistypedIn(parsed, terminal.cwd))];
    return {
      file: file.name,
      rules: parsed.ownRules.length,
      tests: parsed.tests.length,
      diagnostics,
      warnings,
      notes: parsed.ownRules.flatMap(({ rule, line, column }) => {
        const message = ruleNote(rule);
        return message === undefined ? [] : [{ code: "note", file: file.name, line, column, message }];
      }),
    };
  });
  const checked = await Promise.all(all);
  terminal.show(
    { files: checked },
    checked.flatMap(({ file, rules, tests, diagnostics, warnings, notes }) => [
      ...diagnostics.flatMap((one) => diagnosticLines(one, "error")),
      ...warnings.flatMap((one) => diagnosticLines(one, "warning")),
      ...notes.flatMap((one) => diagnosticLines(one, "note")),
      visible(
        diagnostics.length > 0
          ? `${file}: ${counted(diagnostics.length, "error")}. The file decides nothing until they are fixed.`
          : `${file}: valid, ${counted(rules, "rule")}, ${counted(tests, "test")}, ${counted(warnings.length, "warning")}`,
      ),
    ]),
  );
  const isFine = checked.every(
    ({ diagnostics, warnings }) => diagnostics.length === 0 && !(strict && warnings.length > 0),
  );
  return isFine ? EXIT.ok : EXIT.failure;
}

/** A line that editors can jump to, and the fix below it. */
function diagnosticLines(
  { file, line, column, message, hint }: Diagnostic,
  kind: "error" | "warning" | "note",
): readonly string[] {
  return [
    visible(`${file}:${line}:${column}: ${kind}: ${message}`),
    ...(hint === undefined ? [] : [`  fix: ${visible(hint)}`]),
  ];
}
