import { createHash } from "node:crypto";
import type { Operation } from "../document/list-operations.ts";

const LONGEST_NAME = 64;
const HASH_LENGTH = 8;
/** The hash suffix, as in names of MCP tools. */
const FOREIGN_END = /-[0-9a-f]{10}$/;

/**
 * A name for each operation: `<prefix>__<operationId>`, or its method and path if it has no id, in the characters that
 * names may have. Names that would be equal, or too long, end in a hash; the operation whose id is exactly that name
 * keeps it. Name all operations of a document at once, so that a filter changes no name.
 */
export function nameTools(
  operations: readonly Operation[],
  prefix: string | undefined,
): ReadonlyMap<Operation, string> {
  const start = prefix === undefined || prefix === "" ? "" : `${prefix}__`;
  const wanted = operations.map((operation) => `${start}${plainName(operation)}`);
  const counts = new Map<string, number>();
  for (const name of wanted) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = new Map<Operation, string>();
  const taken = new Set<string>();
  const give = (operation: Operation, name: string) => {
    names.set(operation, name);
    taken.add(name);
  };
  for (const [index, operation] of operations.entries()) {
    const name = wanted[index] as string;
    const isOwn = counts.get(name) === 1 || name === `${start}${operation.id}`;
    if (isOwn && !FOREIGN_END.test(name) && name.length <= LONGEST_NAME && !taken.has(name))
      give(operation, name);
  }
  for (const [index, operation] of operations.entries()) {
    if (!names.has(operation)) give(operation, withHash(wanted[index] as string, operation, taken));
  }
  return names;
}

function plainName({ id, method, path }: Operation): string {
  if (id !== undefined) return id.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return `${method.toLowerCase()}_${path}`.replaceAll(/[^A-Za-z0-9-]+/g, "_").replace(/_$/, "");
}

function withHash(name: string, operation: Operation, taken: ReadonlySet<string>): string {
  const { method, path, id = "" } = operation;
  for (let round = 0; ; round += 1) {
    const hash = createHash("sha256").update(`${round} ${method} ${path} ${id}`);
    const end = `_${hash.digest("hex").slice(0, HASH_LENGTH)}`;
    const made = `${name.slice(0, LONGEST_NAME - end.length)}${end}`;
    if (!taken.has(made)) return made;
  }
}
