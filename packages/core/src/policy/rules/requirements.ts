import {
  type ArgPattern,
  type Effect,
  type RequirementSet,
  type ShellRequirement,
  splitCommand,
  UNKNOWN_CAPABILITY,
  type Variables,
} from "../../contract/call/effect.ts";
import { ToolkeepError } from "../../contract/values/error.ts";
import {
  alternativesOf,
  compileGlob,
  kindOfTarget,
  type TargetKind,
  type TargetPattern,
} from "../patterns/compile-glob.ts";
import { expandVariables } from "./expand-variables.ts";

/** Requirements, prepared for comparison with effects. */
export interface CompiledRequirements {
  covers(effect: Effect): boolean;
  /** What a call does when its tool does not say: everything it requires. */
  readonly effects: readonly Effect[];
}

/**
 * Expands the variables and compiles the patterns, once. A variable without a value leaves its
 * patterns out, so that nothing matches them.
 * @throws ToolkeepError `invalid_requirement` for an unknown variable.
 */
export function compileRequirements(
  requires: RequirementSet | "unknown",
  variables: Variables,
): CompiledRequirements {
  if (requires === "unknown") {
    return {
      covers: (effect) => effect.capability === UNKNOWN_CAPABILITY,
      effects: [{ capability: UNKNOWN_CAPABILITY, target: "*" }],
    };
  }
  const patterns = new Map<string, string[]>();
  const add = (capability: string, list: readonly string[] = []) => {
    const expanded = list.flatMap((pattern) => expand(pattern, variables));
    if (expanded.length > 0) patterns.set(capability, [...(patterns.get(capability) ?? []), ...expanded]);
  };
  add("fs.read", requires.fs?.read);
  add("fs.write", requires.fs?.write);
  add("fs.delete", requires.fs?.write);
  add("net.fetch", requires.net?.hosts);
  add("env.read", requires.env);
  for (const capability of requires.capabilities ?? []) patterns.set(capability, ["**"]);

  const matchers = new Map([...patterns].map(([capability, list]) => [capability, list.map(compileGlob)]));
  const shell = requires.shell ?? [];
  const evaluate = ({ capability, target }: Effect) =>
    capability === "shell.run" && !matchers.has("shell.run")
      ? shell.some((command) => coversCommand(command, target))
      : anyMatches(matchers.get(capability), target, kindOfTarget(capability));
  return { covers: remembering(evaluate), effects: requiredEffects(patterns, shell) };
}

/** The same requirements with the variables replaced: patterns that mean the same everywhere. */
export function expandRequirements(requires: RequirementSet, variables: Variables): RequirementSet {
  const all = (list: readonly string[] = []) => list.flatMap((pattern) => expand(pattern, variables));
  return {
    ...requires,
    fs: { read: all(requires.fs?.read), write: all(requires.fs?.write) },
    net: { hosts: all(requires.net?.hosts) },
    env: all(requires.env),
  };
}

/** The union of requirements. `unknown` adds nothing. */
export function unionOf(sets: readonly (RequirementSet | "unknown")[]): RequirementSet {
  const known = sets.filter((set) => set !== "unknown");
  const all = <Entry>(pick: (set: RequirementSet) => readonly Entry[] | undefined) => {
    const entries = known.flatMap((set) => pick(set) ?? []);
    return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()];
  };
  return {
    fs: { read: all(({ fs }) => fs?.read), write: all(({ fs }) => fs?.write) },
    net: { hosts: all(({ net }) => net?.hosts) },
    shell: all(({ shell }) => shell),
    env: all(({ env }) => env),
    capabilities: all(({ capabilities }) => capabilities),
  };
}

const MOST_REMEMBERED = 1_000;

/** The same targets repeat. */
function remembering(evaluate: (effect: Effect) => boolean): (effect: Effect) => boolean {
  const known = new Map<string, Map<string, boolean>>();
  return (effect) => {
    const targets = known.get(effect.capability) ?? new Map<string, boolean>();
    const before = targets.get(effect.target);
    if (before !== undefined) return before;
    const covers = evaluate(effect);
    if (targets.size >= MOST_REMEMBERED) targets.clear();
    known.set(effect.capability, targets.set(effect.target, covers));
    return covers;
  };
}

function anyMatches(
  patterns: readonly TargetPattern[] | undefined,
  target: string,
  kind: TargetKind,
): boolean {
  return patterns?.some((pattern) => pattern.matches(target, kind)) ?? false;
}

/** Deleting is part of writing, and is no effect of its own here. */
function requiredEffects(patterns: Map<string, string[]>, shell: readonly ShellRequirement[]): Effect[] {
  const named = [...patterns]
    .filter(([capability]) => capability !== "fs.delete")
    .flatMap(([capability, targets]) =>
      targets
        .flatMap((target) => alternativesOf(target) ?? [target])
        .map((target) => ({ capability, target })),
    );
  const commands = shell.map((command) => ({ capability: "shell.run", target: commandPattern(command) }));
  return [...named, ...commands];
}

function commandPattern({ cmd, args }: ShellRequirement): string {
  if (args === undefined) return `${cmd} *`;
  return [
    cmd,
    ...args.map((arg) => (typeof arg === "string" ? arg : "prefix" in arg ? `${arg.prefix}*` : "*")),
  ].join(" ");
}

function coversCommand(required: ShellRequirement, target: string): boolean {
  // The target is the requirement itself if the tool does not say what it runs.
  if (target === commandPattern(required)) return true;
  const argv = splitCommand(target);
  if (argv[0] !== required.cmd) return false;
  const { args } = required;
  if (args === undefined) return true;
  return (
    argv.length - 1 === args.length &&
    args.every((pattern, index) => coversArg(pattern, argv[index + 1] as string))
  );
}

function coversArg(pattern: ArgPattern, arg: string): boolean {
  if (typeof pattern === "string") return arg === pattern;
  return "prefix" in pattern ? arg.startsWith(pattern.prefix) : true;
}

function expand(pattern: string, variables: Variables): string[] {
  return expandVariables(
    pattern,
    variables,
    (name) =>
      new ToolkeepError(
        "invalid_requirement",
        `The requirement ${JSON.stringify(pattern)} uses the unknown variable {${name}}.`,
      ),
  );
}
