import type { Effect, RequirementSet } from "@toolkeep/core";
import { netFetch, shellRun } from "@toolkeep/core/internal";
import { commandEffects, type EffectResolver } from "@toolkeep/core/ports";

/** What every tool that runs a command line can be told by the embedder. */
export interface CommandLineOptions {
  /**
   * Hosts that commands may reach, `*` for any. Every call then says so and is judged by it. Left out: none.
   * Single hosts need a sandbox that filters by host.
   */
  readonly hosts?: readonly string[];
}

/** What a model says of a command. */
export interface CommandLine {
  readonly command: string;
  readonly workdir?: string;
}

/** The parameters of a command line, for the schema of a tool. */
export const COMMAND_LINE = {
  command: {
    type: "string",
    minLength: 1,
    maxLength: 16_000,
    description: "The command line, run by bash.",
  },
  description: {
    type: "string",
    maxLength: 500,
    description: "What it does, in a few words, for the person who is asked.",
  },
  workdir: {
    type: "string",
    pattern: "^/",
    maxLength: 4_096,
    description: "The absolute path of the folder to run it in. Left out: the workspace.",
  },
} as const;

const CAPABILITIES = ["shell.run", "shell.dynamic", "git.push", "git.commit", "git.read", "package.publish"];

/** Files are there for the walls: a command sees the workspace and changes nothing outside of it. */
export function commandRequirements({ hosts = [] }: CommandLineOptions): RequirementSet {
  return {
    fs: { read: ["{workspace}/**"], write: ["{workspace}/**"] },
    ...(hosts.length === 0 ? {} : { net: { hosts } }),
    capabilities: CAPABILITIES,
  };
}

/**
 * Says what command lines are about to do. To run one in another folder is to move there first, and is judged
 * like that: a rule for `./build.sh` speaks of the one in the workspace.
 */
export function commandLineEffects({ hosts = [] }: CommandLineOptions) {
  return async ({ command, workdir }: CommandLine, resolver: EffectResolver): Promise<readonly Effect[]> => {
    const parsed = await resolver.parseCommand(command);
    const effects = commandEffects(parsed, command);
    const moved = workdir === undefined ? effects : [movingTo(workdir), ...effects.map(within(workdir))];
    const onDisk = await resolver.commandsOnDisk?.({
      line: command,
      commands: parsed.commands ?? [],
      ...(workdir === undefined ? {} : { folder: workdir }),
    });
    return [...moved, ...(onDisk ?? []), ...hosts.map(netFetch)];
  };
}

function movingTo(folder: string): Effect {
  return { ...shellRun(["cd", folder]), known: "inferred" };
}

/** Relative paths begin where the command runs. */
function within(folder: string): (effect: Effect) => Effect {
  return (effect) => {
    const isRelativeFile = effect.capability.startsWith("fs.") && !effect.target.startsWith("/");
    return isRelativeFile ? { ...effect, target: `${folder}/${effect.target}` } : effect;
  };
}
