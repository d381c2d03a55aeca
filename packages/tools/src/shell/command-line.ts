import type { Effect, RequirementSet } from "@toolkeep/core";
import { netFetch, quotedWord, reachOf, shellRun } from "@toolkeep/core/internal";
import { commandEffects, type EffectResolver, type ParsedCommand } from "@toolkeep/core/ports";

/** Options of the tools that run command lines. */
export interface CommandLineOptions {
  /**
   * Hosts that every command gets among its effects, `*` for any, unless it is known to stay on this machine (`ls`,
   * `git status`). Default: none. A command whose hosts are known (`npm install`, `curl URL`) has these in any case.
   */
  readonly hosts?: readonly string[];
}

/** The arguments of a command line tool. */
export interface CommandLine {
  readonly command: string;
  readonly workdir?: string;
}

/** The line of a command whose arguments are known: each is one word, whatever is in it. */
export function lineOfWords(argv: readonly string[]): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quotedWord(word))).join(" ");
}

const FILES = ["{workspace}/**", "{tmp}/**"];
const CAPABILITIES = [
  ...["shell.run", "shell.dynamic", "git.push", "git.commit", "git.read"],
  ...["package.publish", "package.install", "package.run"],
];

/** For the sandbox: commands read and write the workspace and temporary files. Hosts are decided for each call. */
export const COMMAND_REQUIREMENTS: RequirementSet = {
  fs: { read: FILES, write: FILES },
  net: { hosts: ["*"] },
  capabilities: CAPABILITIES,
};

/**
 * Resolves the effects of a command line. Running it in another folder is treated as `cd` to that folder first: a rule for
 * `./build.sh` matches the script in the workspace only.
 */
export function commandLineEffects({ hosts = [] }: CommandLineOptions) {
  return async ({ command, workdir }: CommandLine, resolver: EffectResolver): Promise<readonly Effect[]> => {
    const parsed = await resolver.parseCommand(command);
    const effects = commandEffects(parsed, command);
    const moved = workdir === undefined ? effects : [movingTo(workdir), ...effects.map(within(workdir))];
    const line = {
      line: command,
      commands: parsed.commands ?? [],
      ...(workdir === undefined ? {} : { folder: workdir }),
    };
    const found = (await resolver.commandsOnDisk?.(line)) ?? [];
    // What is said of a line that is not plain says nothing of a plain one.
    const onDisk = parsed.plain ? found.filter((effect) => !isOfLine(effect)) : found;
    const known = await resolver.hostsOf?.(line);
    const open = mayLeave(parsed) ? hosts : [];
    return [
      ...moved.map(byBranch(onDisk)).map(ofProject(onDisk)),
      ...onDisk,
      ...[...new Set([...(known ?? []), ...open])].map(reaching),
    ];
  };
}

/**
 * Where the disk says that `git checkout NAME`, or `switch` or `merge`, means a local branch, it follows from what the disk
 * says it does: `git switch --no-guess NAME`.
 */
function byBranch(onDisk: readonly Effect[]): (effect: Effect) => Effect {
  const known = new Set(
    onDisk.filter(({ capability }) => capability === "shell.run").map(({ target }) => target),
  );
  return (effect) => {
    const name = /^git (?:checkout|switch|merge) (?:-q |--quiet )?([^\s'-]\S*)$/.exec(effect.target)?.[1];
    return name !== undefined && known.has(`git switch --no-guess ${name}`)
      ? { ...effect, implied: true }
      : effect;
  };
}

/** The disk says of a command whether all that it runs is the project's own. */
function ofProject(onDisk: readonly Effect[]): (effect: Effect) => Effect {
  const own = new Set(onDisk.filter(({ ownCode }) => ownCode === true).map(({ target }) => target));
  return (effect) =>
    effect.capability === "shell.run" && own.has(effect.target) ? { ...effect, ownCode: true } : effect;
}

function isOfLine({ capability, withoutSecrets }: Effect): boolean {
  return capability === "shell.dynamic" && withoutSecrets === true;
}

/** The proxy of the sandbox stands behind it. */
function reaching(host: string): Effect {
  return { ...netFetch(host), known: "enforced" };
}

function mayLeave(parsed: ParsedCommand): boolean {
  return !parsed.plain || parsed.commands.some(({ argv }) => reachOf(argv).leaves);
}

function movingTo(folder: string): Effect {
  return { ...shellRun(["cd", folder]), known: "inferred" };
}

/** Relative paths start where the command runs. */
function within(folder: string): (effect: Effect) => Effect {
  return (effect) => {
    if (!effect.capability.startsWith("fs.")) return effect;
    const placed = (path: string) => (path.startsWith("/") ? path : `${folder}/${path}`);
    const { entriesOf } = effect;
    const target = placed(effect.target);
    return { ...effect, target, ...(entriesOf === undefined ? {} : { entriesOf: placed(entriesOf) }) };
  };
}
