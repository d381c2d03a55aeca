import { CAPABILITIES } from "@toolkeep/catalog";
import { closestName } from "../../contract/values/error.ts";
import { compileGlob } from "../patterns/compile-glob.ts";
import { OWN_CAPABILITIES } from "./own-capabilities.ts";

/** All capabilities that a rule can name without a tool of the host application. */
export const KNOWN_CAPABILITIES: readonly string[] = [
  ...new Set([...OWN_CAPABILITIES, ...Object.keys(CAPABILITIES)]),
];

/** Namespaces in which the host application defines nothing. A tool may have actions in the others. */
const CLOSED = /^(?:fs|shell|net|env)\.[^*]+$/;
const CLOSED_PATTERN = /^(?:fs|shell|net|env)\..*\*/;
const OPEN = /^(?:git|package|mcp)\.[^*]+$/;

/** Why a permission can never apply, or `undefined`: a deny with a typo would be a gap. */
export function permissionError(permission: string): string | undefined {
  if (KNOWN_CAPABILITIES.includes(permission)) return undefined;
  if (permission === "final") return "`final` stands before the action: `final ask git.push`";
  if (CLOSED_PATTERN.test(permission)) return patternError(permission);
  const isClosed = CLOSED.test(permission);
  if (!isClosed && !OPEN.test(permission)) return undefined;
  const near = closestName(permission, KNOWN_CAPABILITIES);
  if (near === undefined && !isClosed) return undefined;
  return `there is no permission \`${permission}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
}

function patternError(permission: string): string | undefined {
  const pattern = compileGlob(permission);
  if (KNOWN_CAPABILITIES.some((one) => pattern.matches(one, "text"))) return undefined;
  const [namespace = ""] = permission.split(".");
  const names = KNOWN_CAPABILITIES.filter((one) => one.startsWith(`${namespace}.`));
  return `no permission is named like \`${permission}\`; there are ${names.join(", ")}`;
}
