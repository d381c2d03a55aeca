import { classOfCommand, classOfLine, isWithoutSecrets } from "../../commands/meaning/command-class.ts";
import { reachOf } from "../../commands/meaning/command-reach.ts";
import { mentionsFetch, staysHere } from "../../commands/meaning/dynamic-lines.ts";
import { splitCommand, unknownFile } from "../../contract/call/effect.ts";
import type { Label } from "../../contract/call/result.ts";
import type { IsolationLevel } from "../../contract/io/sandbox.ts";
import type { CanonicalEffect, PolicyCall, PolicyTool } from "../../contract/policy/policy-call.ts";
import { defined } from "../../contract/values/defined.ts";
import { isLoopbackHost } from "../../contract/values/loopback.ts";
import { isOwn } from "../../contract/values/origin.ts";
import { classOfTarget } from "../../file-names/name-class.ts";
import { remembered } from "../../file-names/remembered.ts";
import { BRINGING, STAYING } from "./known-reach.ts";
import { isOutside, outsideOf } from "./outside-paths.ts";
import { labelledReads, NO_LABELS, type PathLabels } from "./path-labels.ts";
import { quoted } from "./verdict.ts";

/** The labels that a call adds to its session, each with what the call does for it: `reads "/repo/.env"`. */
export type Marks = { readonly [Name in Label]?: string };

const NOTHING: Marks = Object.freeze({});

/**
 * What a session is marked with by this call: by what it does, by the labels of the policy, and by what is remembered of
 * the files that it reads. Without roots, no path is outside of them.
 */
export function marksOf(call: PolicyCall, roots: readonly string[], labels: PathLabels = NO_LABELS): Marks {
  const own = marksOfEffects(call, roots);
  if (labels.length === 0 && call.carries === undefined) return own;
  const marks: Record<string, string> = { ...call.carries };
  for (const { label, by } of labelledReads(call, labels, roots)) marks[label] ??= by;
  return { ...marks, ...own };
}

function marksOfEffects(call: PolicyCall, roots: readonly string[]): Marks {
  const { effects } = call;
  const isMapped = isForeign(call.found) && staysByItsMap(effects);
  let untrusted =
    isForeign(call.found) && !isMapped ? `takes in what ${quoted(call.found.name)} returns` : undefined;
  let looked: string | undefined;
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index] as CanonicalEffect;
    if (!(isMapped && isItself(effect))) untrusted ??= bringsIn(effect, effects);
    looked ??= looksInto(effect, roots, call);
  }
  looked ??= namesOutside(call, roots);
  return (untrusted ?? looked) ? defined({ untrusted, private: looked }) : NOTHING;
}

/** What the call may send off the machine by; `undefined` if it sends nothing. What is not known to stay leaves. */
export function leavesBy({ found, effects }: PolicyCall, sandbox: IsolationLevel): string | undefined {
  if (isForeign(found)) return staysByItsMap(effects) ? undefined : `calls ${quoted(found.name)}`;
  for (let index = 0; index < effects.length; index += 1) {
    const by = effectLeaves(effects[index] as CanonicalEffect, effects, sandbox);
    if (by !== undefined) return by;
  }
  return undefined;
}

/** Why a call without effects may send data, if it may. Only one that says it reads, or is not gated, is believed. */
export function leavesUnsaid({ found, effects }: PolicyCall): string | undefined {
  const { origin, tool } = found;
  if (effects.length > 0 || !tool.gated) return undefined;
  const isReading = isOwn(origin) && tool.mode === "read" && tool.isModeGuessed !== true;
  return isReading ? undefined : `calls ${quoted(found.name)}, which does not say what it does`;
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
  const own = effects.filter((effect) => !isItself(effect));
  return (
    own.length > 0 && own.every(({ known, capability }) => known === "inferred" && STAYING.has(capability))
  );
}

/** That a server is spoken to is true of all its tools. */
function isItself({ implied, capability }: CanonicalEffect): boolean {
  return implied === true && (capability === "mcp.call" || capability === "mcp.read");
}

function effectLeaves(
  { capability, target, known }: CanonicalEffect,
  effects: readonly CanonicalEffect[],
  sandbox: IsolationLevel,
): string | undefined {
  // Code that our I/O runs reaches nothing.
  if (STAYING.has(capability) || (capability === "code.run" && known === "enforced")) return undefined;
  if (capability === "net.fetch") return isLoopbackHost(target) ? undefined : `sends a request to ${target}`;
  if (!capability.startsWith("shell.")) return `does ${capability} ${quoted(target)}`;
  if (sandbox === "files-and-network") return undefined;
  const isCommand = capability === "shell.run";
  const { leaves, isUnknown } = isCommand ? reachOfCommand(target) : { leaves: !staysHere(target, effects) };
  const how =
    isUnknown === true ? "a program that is not known to stay on this machine" : "which may send data";
  return leaves ? `runs ${quoted(target)}, ${how}` : undefined;
}

function bringsIn(
  { capability, target }: CanonicalEffect,
  effects: readonly CanonicalEffect[],
): string | undefined {
  if (capability === "shell.run") return reachOfCommand(target).brings ? `runs ${quoted(target)}` : undefined;
  if (capability === "shell.dynamic")
    return mentionsFetch(target) && !staysHere(target, effects) ? `runs ${quoted(target)}` : undefined;
  if (!BRINGING.has(capability)) return undefined;
  if (capability === "net.fetch") return isLoopbackHost(target) ? undefined : `fetches from ${target}`;
  return capability === "unknown" ? "has effects that are not known" : `does ${capability} ${quoted(target)}`;
}

/** Asks for each command line once. */
const reachOfCommand = remembered((target) => reachOf(splitCommand(target)));

function looksInto(effect: CanonicalEffect, roots: readonly string[], call: PolicyCall): string | undefined {
  const { capability, target, implied } = effect;
  if (capability === "fs.read" && readsPrivate(effect, roots, call))
    return unknownFile(effect) === undefined
      ? `reads ${quoted(target)}`
      : "reads a file that is not known beforehand";
  // A key that a tool needs for its own request, and does not return, follows from the request.
  if (capability === "env.read")
    return implied === true ? undefined : `reads the environment variable ${target}`;
  if (!capability.startsWith("shell.")) return undefined;
  const named = capability === "shell.run" ? classOfCommand(target) : classOfLine(target);
  if (named.secret !== undefined && !isWithoutSecrets(effect, call))
    return `runs a command that names ${quoted(named.secret)}`;
  if (named.printsEnvironment) return `runs ${quoted(target)}, which prints the environment or a credential`;
  return undefined;
}

function namesOutside(call: PolicyCall, roots: readonly string[]): string | undefined {
  const outside = outsideOf(call, roots);
  return outside === undefined ? undefined : `runs a command that names ${quoted(outside)}`;
}

/** A search that leaves out secrets reads nothing private within the roots, however much it looks through. */
function readsPrivate(effect: CanonicalEffect, roots: readonly string[], call: PolicyCall): boolean {
  const { target, withoutSecrets } = effect;
  const { isSecret, isOpen } = classOfTarget(target);
  return (
    (isSecret && !isWithoutSecrets(effect, call)) ||
    (isOpen && withoutSecrets !== true) ||
    isOutside(target, roots)
  );
}
