import { type JsonObject, objectsIn, own, textsIn } from "../document/json-object.ts";
import type { Operation } from "../document/list-operations.ts";
import { quoted, Unreadable } from "../document/unreadable.ts";
import type { CredentialUse } from "./credential.ts";
import { securitySchemes } from "./resolve-credentials.ts";

/**
 * The credentials that an operation is called with: those of its first alternative that is satisfied. Without any
 * configured credentials everything is called without.
 * @throws Unreadable for an operation that requires others.
 */
export function chooseCredentials(
  operation: Operation,
  resolved: ReadonlyMap<string, CredentialUse>,
  document: JsonObject,
): readonly CredentialUse[] {
  if (resolved.size === 0) return [];
  if (Object.keys(securitySchemes(document)).length === 0) return [...resolved.values()];
  const declared = own(operation.definition, "security") ?? own(document, "security");
  const alternatives = objectsIn(declared).map((one) => Object.entries(one));
  if (alternatives.length === 0) return [];
  // An authenticated call is preferred: an alternative without credentials comes last.
  const byNeed = alternatives.toSorted((one, other) => Number(one.length === 0) - Number(other.length === 0));
  const chosen = byNeed.find((wanted) => wanted.every(([name]) => resolved.has(name)));
  if (chosen !== undefined)
    return chosen.flatMap(([name, scopes]) => withScopes(resolved.get(name), textsIn(scopes)));
  const wanted = alternatives.map((one) => one.map(([name]) => name).join(" and ")).join(", or ");
  throw new Unreadable(`it requires the credentials ${quoted(wanted)}, which are not in \`auth\``);
}

/** No more scopes than the operation needs, unless the host application named them. */
function withScopes(credential: CredentialUse | undefined, scopes: readonly string[]): CredentialUse[] {
  if (credential === undefined) return [];
  return [credential.kind === "client" ? { ...credential, scopes: credential.scopes ?? scopes } : credential];
}
