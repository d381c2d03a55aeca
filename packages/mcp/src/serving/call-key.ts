import { hash, randomUUID } from "node:crypto";
import { canonicalJson } from "@toolkeep/core/internal";

const TURN = /^m-([0-9a-f]{24})-[0-9a-f]{8}$/;

/** Equal for the same tool with the same arguments, in any order of keys. */
export function callKey(name: string, args: Readonly<Record<string, unknown>>): string {
  return hash("sha256", canonicalJson([name, args]), "hex").slice(0, 24);
}

/** Names the turn of one served call. It contains the key, so that a retry finds the turn in a later process. */
export function newTurnId(key: string): string {
  // randomUUID draws from a cache; so few random bytes of their own would cost more than the hash.
  return `m-${key}-${randomUUID().slice(0, 8)}`;
}

/** The key of the call that a turn serves; `undefined` for turns that are not ours. */
export function keyOfTurn(turnId: string): string | undefined {
  return TURN.exec(turnId)?.[1];
}

/** The turn that an approval request belongs to. */
export function turnOfRequest(requestId: string): string {
  return requestId.slice(0, requestId.indexOf("/"));
}
