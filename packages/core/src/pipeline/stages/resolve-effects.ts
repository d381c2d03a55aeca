import type { Effect } from "../../contract/call/effect.ts";
import { ToolFailure } from "../../contract/call/result.ts";
import type { EffectResolver } from "../../contract/io/resolve-effects.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import type { CheckedCall, ResolvedCall } from "../../contract/stages/call.ts";
import { isOwn } from "../../contract/values/origin.ts";
import { compileGlob } from "../../policy/patterns/compile-glob.ts";
import { inTime } from "../../policy/rules/promises.ts";
import { failure } from "../../results/runtime-failure.ts";
import { reportCrash } from "../turn/report-crash.ts";
import { withShown } from "../turn/shown-effects.ts";
import { type Awaitable, Refused } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";
import { withCarried } from "./effects/carried-labels.ts";
import { lexicalPath } from "./effects/lexical-path.ts";
import { absolute, RecordedEffectResolver } from "./effects/recorded-effect-resolver.ts";

/** Resolves what the call is about to do: the tool gives its effects, and their targets are made canonical. */
export function resolveEffects(call: CheckedCall, turn: Turn): Awaitable<ResolvedCall | Refused> {
  const resolved = effectsOf(call, turn);
  const fileLabels = turn.runtime.ports.resolver?.fileLabels;
  if (fileLabels === undefined) return resolved;
  const carrying = withCarried(resolved, fileLabels, turn);
  return carrying instanceof Promise
    ? carrying.catch((error: unknown) => unresolved(call, error, turn))
    : carrying;
}

function effectsOf(call: CheckedCall, turn: Turn): Awaitable<ResolvedCall | Refused> {
  const { tool } = call.found;
  if (tool.effects === undefined)
    return resolved(call, turn.runtime.scope.requirementsOf(call.found).effects, turn);
  try {
    const said = tool.effects(call.args, new RecordedEffectResolver(call.id, turn, call));
    if (!(said instanceof Promise)) return resolved(call, said, turn);
    return inTime(said, turn.runtime.limits.gateTimeoutMs).then(
      (effects) => resolved(call, effects, turn),
      (error: unknown) => unresolved(call, error, turn),
    );
  } catch (error) {
    return unresolved(call, error, turn);
  }
}

function resolved(call: CheckedCall, said: readonly Effect[], turn: Turn): Awaitable<ResolvedCall | Refused> {
  if (!Array.isArray(said)) return unresolved(call, new Error("`effects` must give a list"), turn);
  if (turn.runtime.ports.resolver !== undefined && said.some(isFile)) return resolveLinks(call, said, turn);
  const effects = said.map((effect) => (isRelative(effect) ? undefined : canonicalEffect(effect, turn)));
  // A list may have holes, which `indexOf` passes over.
  const error = effects.findIndex((effect) => effect === undefined);
  if (error !== -1) {
    const effect = said[error] as Effect;
    return isRelative(effect) ? withoutFolder(call, effect) : unclear(call, effect);
  }
  return withEffects(call, effects as CanonicalEffect[], turn);
}

/** Without the port it is not known where a relative path leads: the tool may run somewhere else. */
function isRelative(effect: Effect): boolean {
  return isFile(effect) && typeof effect.target === "string" && !ABSOLUTE.test(effect.target);
}

/** Paths through the port, which sees links: as they were given, because `..` after a link leads elsewhere than its text. */
async function resolveLinks(
  call: CheckedCall,
  said: readonly Effect[],
  turn: Turn,
): Promise<ResolvedCall | Refused> {
  const port = new RecordedEffectResolver(`${call.id}/targets`, turn, call);
  const effects: CanonicalEffect[] = [];
  for (const effect of said) {
    const lexical = canonicalEffect(effect, turn);
    if (lexical === undefined) return unclear(call, effect);
    try {
      if (isFile(effect) && effect.entriesOf !== undefined) {
        effects.push(...(await entriesOf({ effect: lexical, folder: effect.entriesOf, call, turn, port })));
        continue;
      }
      const target = isFile(effect)
        ? await canonicalTarget(absolute(effect.target, turn), lexical.target, port)
        : lexical.target;
      if (isFile(effect) && lexicalPath(target, undefined) !== target) return unclear(call, effect);
      effects.push(isFile(effect) ? ofItsOwnOutside({ ...lexical, target }, turn) : lexical);
    } catch (error) {
      const unknown = ofCommandWithoutPath(lexical, error);
      if (unknown === undefined) return unresolved(call, error, turn);
      effects.push(unknown);
    }
  }
  return withEffects(call, effects, turn);
}

/** Where a path of a command leads is not always known before it runs: into a folder that the same line makes. */
function ofCommandWithoutPath(effect: CanonicalEffect, error: unknown): CanonicalEffect | undefined {
  const isKnown =
    ToolFailure.isInstance(error) && (error.code === "not_found" || error.code === "out_of_scope");
  if (!isKnown || effect.known !== "inferred" || !isFile(effect)) return undefined;
  return { ...effect, target: "/**", note: error.message.replace(/\.$/, "") };
}

/**
 * A file outside of the roots follows from nothing, whatever the args look like: a link led there. A sandbox does
 * not show it, so nothing is asked there.
 */
function ofItsOwnOutside(effect: CanonicalEffect, turn: Turn): CanonicalEffect {
  if (effect.implied !== true) return effect;
  const { sandbox, roots } = turn.runtime.sessionState.of(turn.principal);
  const isInside = roots.some((root) =>
    `${effect.target}/`.startsWith(root.endsWith("/") ? root : `${root}/`),
  );
  if (sandbox !== "none" || roots.length === 0 || isInside) return effect;
  const { implied, ...own } = effect;
  return own;
}

interface Tree {
  readonly effect: CanonicalEffect;
  readonly folder: string;
  readonly call: CheckedCall;
  readonly turn: Turn;
  readonly port: RecordedEffectResolver;
}

/** Of a tree that follows from something else, what rules say of its parts: a tool of another program leaves nothing out. */
async function entriesOf({ effect, folder, call, turn, port }: Tree): Promise<readonly CanonicalEffect[]> {
  const from = await port.canonicalPath(folder);
  const target = await canonicalTarget(effect.target, effect.target, port);
  const tree: CanonicalEffect = { ...effect, target, implied: true };
  const { authorizer, sessionState } = turn.runtime;
  if (authorizer.leavesOut === undefined || !target.endsWith(BENEATH)) return [tree];
  const inPart = { ...tree, partial: true, entriesOf: from } as const;
  const patterns = authorizer
    .leavesOut({ ...call, effects: [inPart] }, sessionState.of(turn.principal))
    .map(compileGlob);
  const named = (path: string) =>
    `${target.slice(0, -BENEATH.length)}${path.slice(from === "/" ? 0 : from.length)}`;
  const isWanted = (path: string) => patterns.some((pattern) => pattern.mayMatch(named(path), "path"));
  const found = await port.findBeneath(from, patterns.length === 0 ? undefined : isWanted);
  if (found === "no folder") return [];
  if (found === "unknown") return [tree];
  return [inPart, ...found.map((path) => ({ ...tree, target: named(path) }))];
}

const BENEATH = "/**";

/** Of what stands for many paths, the folder they are all beneath is resolved: a link must not hide where that is. */
export async function canonicalTarget(path: string, lexical: string, port: EffectResolver): Promise<string> {
  const wild = lexical.search(WILD_SEGMENT);
  if (wild === -1) return port.canonicalPath(path);
  if (wild === 0 || PARENT_SEGMENT.test(path)) return lexical;
  return `${(await port.canonicalPath(lexical.slice(0, wild))).replace(/\/$/, "")}${lexical.slice(wild)}`;
}

const WILD_SEGMENT = /\/[^/]*[*?{]/;
const PARENT_SEGMENT = /(?:^|\/)\.\.(?:\/|$)/;

function withEffects(call: CheckedCall, all: readonly CanonicalEffect[], turn: Turn): ResolvedCall {
  const effects = withShown(call, all, turn);
  return { ...call, effects: effects.some(isPartial) ? wholeUnlessHeld(call, effects, turn) : effects };
}

function isPartial({ partial }: Effect): boolean {
  return partial === true;
}

/**
 * A tree is read in part where the authorizer says which, and for tools whose io leaves that out. One that was looked
 * through has effects of its own for its parts.
 */
function wholeUnlessHeld(
  { found }: CheckedCall,
  effects: readonly CanonicalEffect[],
  { runtime }: Turn,
): readonly CanonicalEffect[] {
  const isHeld = isOwn(found.origin) && runtime.authorizer.leavesOut !== undefined;
  return effects.map((effect) => {
    const { partial, withoutSecrets, ...tree } = effect;
    // That secrets are left out is the word of a tool, and only tools of the host application are believed.
    const whole = isOwn(found.origin) && withoutSecrets === true ? { ...tree, withoutSecrets } : tree;
    const isTree = effect.capability === "fs.read" && effect.target.endsWith("/**");
    return effect.entriesOf !== undefined || (partial === true && isTree && isHeld) ? effect : whole;
  });
}

function canonicalEffect(effect: Effect, turn: Turn): CanonicalEffect | undefined {
  if (typeof effect !== "object" || effect === null) return undefined;
  const { capability, known = "declared" } = effect;
  if (!BASES.has(known)) return undefined;
  if (typeof capability !== "string" || !isCapability(capability) || typeof effect.target !== "string")
    return undefined;
  if (effect.target.length > LONGEST_TARGET) return undefined;
  if (!isFile(effect) && capability !== "net.fetch")
    return withMore({ capability, target: effect.target, known }, effect);
  const target = isFile(effect)
    ? lexicalPath(effect.target, turn.runtime.scope.variables.workspace?.[0])
    : canonicalHost(effect.target);
  return target === undefined ? undefined : withMore({ capability, target, known }, effect);
}

const LONGEST_NOTE = 500;
const MOST_SCRIPTS = 500;

/** A command or a line of them, or a file that one reads. */
function isOfCommand({ capability, known }: CanonicalEffect): boolean {
  return known === "inferred" && (capability.startsWith("shell.") || capability === "fs.read");
}

/** What most effects do not have. */
function withMore(canonical: CanonicalEffect, effect: Effect): CanonicalEffect {
  const { forced, implied, partial, withoutSecrets, scripts, versionsOnly, visible, ownCode, note, meaning } =
    effect;
  const isPlain = [forced, implied, partial, visible, ownCode, meaning].every((mark) => mark === undefined);
  if (isPlain && scripts === undefined && versionsOnly === undefined && note === undefined) return canonical;
  return {
    ...canonical,
    ...(partial === true ? { partial } : {}),
    ...(withoutSecrets === true && (partial === true || isOfCommand(canonical)) ? { withoutSecrets } : {}),
    ...(implied === true ? { implied } : {}),
    ...(forced === true ? { forced } : {}),
    ...(Array.isArray(scripts) && scripts.length <= MOST_SCRIPTS ? { scripts: scripts.map(String) } : {}),
    ...(versionsOnly === true ? { versionsOnly } : {}),
    ...(visible === true && canonical.known === "inferred" ? { visible } : {}),
    ...(ownCode === true && isOfCommand(canonical) ? { ownCode } : {}),
    ...(meaning !== undefined && isOfCommand(canonical) ? { meaning } : {}),
    ...(typeof note === "string" ? { note: note.slice(0, LONGEST_NOTE) } : {}),
  };
}

const ABSOLUTE = /^\/|^[A-Za-z]:[/\\]/;
const CAPABILITY = /^[\w.:-]{1,128}$/;
const capabilities = new Set<string>();
const LONGEST_TARGET = 8_192;
const BASES = new Set(["enforced", "inferred", "declared"]);

/** There are few of them, and they come again and again. */
function isCapability(name: string): boolean {
  if (capabilities.has(name)) return true;
  const isPlain = CAPABILITY.test(name);
  if (isPlain && capabilities.size < 1_000) capabilities.add(name);
  return isPlain;
}

export function isFile(effect: Effect): boolean {
  return typeof effect?.capability === "string" && effect.capability.startsWith("fs.");
}

function unclear(call: CheckedCall, effect: Effect): Refused {
  const message = `It is not clear what ${JSON.stringify(effect)} means: a capability is a plain name, a path is absolute, a host is a name and nothing more.`;
  return new Refused("resolve-effects", failure("effects_failed", message), call);
}

function withoutFolder(call: CheckedCall, { target }: Effect): Refused {
  const message = `The path ${JSON.stringify(target)} is relative, and this session has no workspace that it could be in. Use an absolute path; or the application gives the session a workspace: \`openWorkspace({ roots: ["."] })\` of @toolkeep/node.`;
  return new Refused("resolve-effects", failure("effects_failed", message), call);
}

/** A `ToolFailure` has a message for the model; any other error is recorded for the authors of the tool. */
function unresolved(call: CheckedCall, error: unknown, turn: Turn): Refused {
  const { id, found } = call;
  const isMeant = ToolFailure.isInstance(error);
  if (!isMeant) reportCrash({ id, toolName: found.name }, error, turn);
  const reason = isMeant ? error.message : "its effects could not be resolved; the journal has the error";
  return new Refused(
    "resolve-effects",
    failure("effects_failed", `${found.name}: ${reason.replace(/\.$/, "")}.`),
    call,
  );
}

const HOST = /^[a-z0-9_.*-]{1,253}$/;
const ADDRESS = /^\[[0-9a-f:.]+\]$/;

/**
 * A host as rules know it: lower case, without port and trailing dot. `undefined` for anything that
 * is more than a host (an address with user, path or scheme) or written in letters that only look it.
 */
export function canonicalHost(target: string): string | undefined {
  const lower = target.toLowerCase().replace(/:\d{1,5}$/, "");
  const host = lower.endsWith(".") ? lower.slice(0, -1) : lower;
  return HOST.test(host) || ADDRESS.test(host) ? host : undefined;
}
