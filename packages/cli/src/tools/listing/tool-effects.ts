import type { RequirementSet, Tool } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { CAPABILITIES } from "./capability-meanings.ts";

/** What a tool may do at most, in words for a terminal. */
export function effectsInWords(requires: Tool["requires"]): readonly string[] {
  if (requires === "unknown") return ["may do anything"];
  const { fs = {}, net, shell, env = [], capabilities = [] } = requires;
  // A command may do whatever the rules on commands allow.
  if (capabilities.includes("shell.run") || shell?.some(({ cmd }) => cmd === "*") === true)
    return ["runs commands"];
  const effects = [
    ...pathWords("reads", fs.read),
    ...pathWords("writes", fs.write),
    ...(shell === undefined ? [] : [shellWords(shell)]),
    ...hostWords(net?.hosts ?? []),
    ...(env.length === 0
      ? []
      : [`reads the environment variables ${env.map((one) => visible(one)).join(", ")}`]),
    ...capabilities.map((name) => CAPABILITIES[name] ?? visible(name)),
  ];
  return effects.length === 0 ? ["has no effects outside of the conversation"] : [...new Set(effects)];
}

const OF_PROJECT = /^\{(?:workspace|ad-hoc|tmp)\}/;

function pathWords(verb: string, patterns: readonly string[] | undefined): readonly string[] {
  if (patterns === undefined) return [];
  const elsewhere = patterns.filter((pattern) => !OF_PROJECT.test(pattern)).map((one) => visible(one));
  const isOfProject = elsewhere.length < patterns.length;
  return [
    ...(isOfProject ? [`${verb} files of the project`] : []),
    ...(elsewhere.length === 0 ? [] : [`${verb} ${elsewhere.join(", ")}`]),
  ];
}

function shellWords(shell: NonNullable<RequirementSet["shell"]>): string {
  const programs = new Set(shell.map(({ cmd }) => visible(cmd)));
  return `runs ${[...programs].join(", ")}`;
}

function hostWords(hosts: readonly string[]): readonly string[] {
  if (hosts.length === 0) return [];
  const isAny = hosts.some((host) => host === "*" || host === "**");
  return [isAny ? "contacts any host" : `contacts ${hosts.map((one) => visible(one)).join(", ")}`];
}
