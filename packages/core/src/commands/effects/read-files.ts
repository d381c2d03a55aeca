import { type Reading, readCommand } from "@toolkeep/catalog";
import type { SimpleCommand } from "../../contract/io/resolve-effects.ts";
import { bareName } from "../forms/command-forms.ts";

/** What a command does to files. A program at any path may be the one that has its name. */
export function readFiles(command: SimpleCommand): Reading | undefined {
  const [name = "", ...words] = command.argv;
  return command.reading ?? readCommand([bareName(name), ...words], command);
}
