import { asList, asText, type Diagnostics } from "./read-fields.ts";
import type { YamlNode } from "./yaml-text.ts";

/** A capability, or all of a kind. A pattern of another form would lock nothing. */
const LOCK = /^[\w@/:-]+(?:\.[\w@/:-]+)*(?:\.\*)?$/;

/** Reads the list `locks`. */
export function readLocks(node: YamlNode, diagnostics: Diagnostics): readonly string[] {
  const items = asList(node, "`locks`", diagnostics)?.items ?? [];
  return items.flatMap((item) => {
    const entry = asText(item, "An entry of `locks`", diagnostics);
    if (entry === undefined) return [];
    if (LOCK.test(entry)) return [entry];
    const message = `${JSON.stringify(entry)} is no capability.`;
    diagnostics.add(item.position, message, "Write e.g. `deploy.run`, or `payments.*` for all of a kind.");
    return [];
  });
}

/** The locks of two files, each once. */
export function joined(one: readonly string[] = [], other: readonly string[] = []): readonly string[] {
  return Object.freeze([...new Set([...one, ...other])]);
}
