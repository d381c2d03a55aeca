import { canonicalJson } from "../../contract/values/json-text.ts";
import { fingerprint } from "../approvers/fingerprint.ts";

/** The parts of a call that an approval is bound to. */
interface BoundCall {
  readonly toolName: string;
  /** The fingerprint of the tool's definition. */
  readonly definition: string;
  readonly argsText: string;
}

const SALTED = "salted:";

/**
 * A digest of the raw call. Without its salt a guess of the arguments cannot be confirmed. The salt is kept with the
 * arguments and deleted with them. Calls that began to wait under an earlier version have none.
 */
export async function callDigest(call: BoundCall, salt: string | undefined): Promise<string> {
  if (salt === undefined) return fingerprint(call.argsText);
  const { toolName, definition, argsText } = call;
  return SALTED + (await fingerprint(canonicalJson([salt, toolName, definition, argsText])));
}

export function isSalted(digest: unknown): digest is string {
  return typeof digest === "string" && digest.startsWith(SALTED);
}

/** What is kept of a call that waits: the raw arguments, and the salt of their digest behind a line end. */
export interface KeptCall {
  readonly argsText: string;
  readonly salt?: string | undefined;
}

/** JSON as `JSON.stringify` writes it has no line ends. */
export function keptText({ argsText, salt }: KeptCall): string {
  return salt === undefined ? argsText : `${argsText}\n${salt}`;
}

export function readKept(text: string | undefined): KeptCall | undefined {
  if (text === undefined) return undefined;
  const at = text.lastIndexOf("\n");
  return at === -1 ? { argsText: text } : { argsText: text.slice(0, at), salt: text.slice(at + 1) };
}
