import { readStatements } from "@toolkeep/catalog";
import type { MappedEffect } from "./effect-map.ts";
import { readArgumentPath } from "./mapped-target.ts";
import { valuesAt } from "./read-argument.ts";

/** What statements for a database can do. */
export const STATED: readonly string[] = ["db.read", "db.write", "db.drop", "secret.read"];

/** The capabilities of an effect: what the statements in an argument do, if they say it, else its own. */
export function statedCapabilities({ capability, stated }: MappedEffect, args: unknown): readonly string[] {
  if (stated === undefined) return [capability];
  const [language = "", argument = ""] = stated.split(" ");
  const [text] = valuesAt(args, readArgumentPath(argument));
  if (typeof text !== "string") return [capability];
  const { does, reads } = readStatements(text, language);
  return reads.length > 0 ? [capability] : does.split(" ");
}
