import { reachOf } from "../../commands/command-reach.ts";
import type { CanonicalEffect, PolicyCall, PolicyTool } from "../../contract/call.ts";
import { splitCommand } from "../../contract/effect.ts";
import type { Label } from "../../contract/result.ts";
import type { IsolationLevel } from "../../contract/sandbox.ts";
import { classOfCommand, classOfLine } from "./command-class.ts";
import { classOfTarget } from "./name-class.ts";
import { isOutside } from "./overreach.ts";
import { remembered } from "./remembered.ts";

const NOTHING: readonly Label[] = Object.freeze([]);
const UNTRUSTED: readonly Label[] = Object.freeze(["untrusted"] as const);
const PRIVATE: readonly Label[] = Object.freeze(["private"] as const);
const BOTH: readonly Label[] = Object.freeze(["untrusted", "private"] as const);

/** The labels of a session after this call. Without roots, no path is outside of them. */
export function labelsOf(call: PolicyCall, roots: readonly string[]): readonly Label[] {
  let isUntrusted = isForeign(call.found);
  let isPrivate = false;
  const { effects } = call;
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index] as CanonicalEffect;
    isUntrusted ||= bringsIn(effect);
    isPrivate ||= looksInto(effect, roots);
  }
  if (isUntrusted) return isPrivate ? BOTH : UNTRUSTED;
  return isPrivate ? PRIVATE : NOTHING;
}

/** Whether the call may send something off the machine. What is not known to stay leaves. */
export function leaves({ found, effects }: PolicyCall, sandbox: IsolationLevel): boolean {
  if (isForeign(found)) return !staysByItsMap(effects);
  for (let index = 0; index < effects.length; index += 1) {
    if (effectLeaves(effects[index] as CanonicalEffect, sandbox)) return true;
  }
  return false;
}

/** It runs elsewhere, or what it runs was written elsewhere; what it says of itself proves nothing. */
function isForeign({ origin, tool }: PolicyTool): boolean {
  return origin.source === "mcp" || origin.source === "openapi" || tool.remote !== undefined;
}

/**
 * Whether an effect map of ours or the user's says that all it does stays here. What a server says of itself, and
 * what has no effect map, proves nothing.
 */
function staysByItsMap(effects: readonly CanonicalEffect[]): boolean {
  const own = effects.filter(({ implied, capability }) => implied !== true || !ITSELF.has(capability));
  return (
    own.length > 0 && own.every(({ known, capability }) => known === "inferred" && STAYING.has(capability))
  );
}

/** That a server is spoken to is true of all its tools. */
const ITSELF: ReadonlySet<string> = new Set(["mcp.call", "mcp.read"]);

/** Other capabilities are defined by the host application: they may send data. */
const STAYING = new Set([
  "fs.read",
  "fs.write",
  "fs.delete",
  "env.read",
  "git.add",
  "git.branch",
  "git.checkout",
  "git.commit",
  "git.diff",
  "git.log",
  "git.merge",
  "git.read",
  "git.reset",
  "git.stash",
  "git.status",
  "git.tag",
  "git.write",
]);

function effectLeaves({ capability, target }: CanonicalEffect, sandbox: IsolationLevel): boolean {
  if (STAYING.has(capability)) return false;
  if (!capability.startsWith("shell.")) return true;
  if (sandbox === "files-and-network") return false;
  return capability !== "shell.run" || reachOfCommand(target).leaves;
}

const BRINGING = new Set([
  "net.fetch",
  "shell.dynamic",
  "git.clone",
  "git.fetch",
  "git.pull",
  "mcp.call",
  "unknown",
]);

function bringsIn({ capability, target }: CanonicalEffect): boolean {
  return capability === "shell.run" ? reachOfCommand(target).brings : BRINGING.has(capability);
}

/** Asks for each command line once. */
const reachOfCommand = remembered((target) => reachOf(splitCommand(target)));

function looksInto({ capability, target, implied }: CanonicalEffect, roots: readonly string[]): boolean {
  if (capability === "fs.read") {
    const { isSecret, isOpen } = classOfTarget(target);
    return isSecret || isOpen || isOutside(target, roots);
  }
  // A key that a tool needs for its own request, and does not return, follows from the request.
  if (capability === "env.read") return implied !== true;
  if (!capability.startsWith("shell.")) return false;
  const named = capability === "shell.run" ? classOfCommand(target) : classOfLine(target);
  if (named.secret !== undefined || named.printsEnvironment) return true;
  return named.directories.some((place) => isOutside(place, roots));
}
