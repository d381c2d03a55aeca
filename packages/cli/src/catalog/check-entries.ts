import { basename, resolve } from "node:path";
import { checkEntryText } from "@toolkeep/catalog";
import { visible } from "@toolkeep/core/internal";
import { readText } from "../project/policy-files.ts";
import { EXIT } from "../terminal/command-error.ts";
import { counted } from "../terminal/counted.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Shows what is wrong with entries of programs. */
export function checkEntries(names: readonly string[], terminal: Terminal): number {
  const files = names.map((name) => {
    const text = readText({ name, path: resolve(terminal.cwd, name) });
    const { entry, errors } = checkEntryText(text, basename(name));
    return { file: name, program: entry?.program, examples: entry?.examples.length ?? 0, errors };
  });
  terminal.show(
    { files },
    files.flatMap(({ file, program = "", examples, errors }) => [
      ...errors.map(({ at, message }) => visible(`${file}: ${at === "" ? "" : `${at}: `}${message}`)),
      visible(
        errors.length > 0
          ? `${file}: ${counted(errors.length, "error")}`
          : `${file}: valid, describes ${program}, ${counted(examples, "example")}`,
      ),
    ]),
  );
  return files.every(({ errors }) => errors.length === 0) ? EXIT.ok : EXIT.failure;
}
