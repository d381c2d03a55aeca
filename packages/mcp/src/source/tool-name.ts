import { hash } from "node:crypto";

const LONGEST = 64;
const HASH_LENGTH = 10;
/** Only names that were changed or cut have this ending; a name that looks like it gets another hash. */
const SUFFIX = new RegExp(`-[0-9a-f]{${HASH_LENGTH}}$`);

/** A tool by its server and its own name. */
export interface ToolAddress {
  readonly server: string;
  readonly tool: string;
}

/**
 * The name of a server's tool: `<server>_<tool>`, and `<server>__<tool>` for a server whose own name has a `_`.
 * It depends on these two alone, so it never changes because another server was added or removed, and no two tools have the
 * same name: if the two parts could be split in another way, or a name was changed or cut, it ends with a hash.
 */
export function prefixedName(address: ToolAddress): string {
  const server = sanitize(address.server);
  const tool = sanitize(address.tool);
  const joint = server.includes("_") ? "__" : "_";
  const isClear = server === address.server && tool === address.tool && isUnambiguous(server, tool);
  return named(`${server}${joint}${tool}`, isClear, address);
}

/** The server's own name for it, if it is a valid name. */
export function plainName(address: ToolAddress): string {
  const tool = sanitize(address.tool);
  return named(tool, tool === address.tool && tool !== "", address);
}

/**
 * Without a `_` in the server's name the first `_` is the separator, and there is no `__`: a name with `__` has its
 * separator there. So `a` + `b_c` is `a_b_c`, `a_b` + `c` is `a_b__c`, and `a` + `b__c` needs a hash.
 */
function isUnambiguous(server: string, tool: string): boolean {
  if (server === "" || tool === "" || tool.startsWith("_")) return false;
  if (!server.includes("_")) return !tool.includes("__");
  return !server.includes("__") && !server.endsWith("_");
}

function named(name: string, isClear: boolean, { server, tool }: ToolAddress): string {
  if (isClear && name.length <= LONGEST && !SUFFIX.test(name)) return name;
  const suffix = hash("sha256", JSON.stringify([server, tool])).slice(0, HASH_LENGTH);
  return `${name.slice(0, LONGEST - HASH_LENGTH - 1)}-${suffix}`;
}

/** The characters that providers accept. */
function sanitize(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, "_");
}
