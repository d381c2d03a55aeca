/** How an effect is known: our io or the sandbox stands behind it, a parser inferred it, or it is the author's word. */
export type EffectBasis = "enforced" | "inferred" | "declared";

/** One thing that a call is about to do. Rules decide about effects. Make one with `effects`. */
export interface Effect {
  readonly capability: string;
  readonly target: string;
  /** `declared` where it is left out. */
  readonly known?: EffectBasis;
  /** It overrides what protects its target, as a forced push does. */
  readonly forced?: true;
  /** It follows from another effect of the call: a rule can forbid it, and none has to allow it. */
  readonly implied?: true;
  /**
   * A tree is read, and what rules forbid or ask about in parts of it is left out: file I/O skips it.
   * Applies to reading trees (`fs.read` of `…/**`) by tools of the host application; other tools read them whole.
   */
  readonly partial?: true;
  /**
   * Of a tree that is read: files with the names of secrets are left out as well, so that nothing private is read. Of a
   * command: what it names that way holds none, as far as the disk tells.
   */
  readonly withoutSecrets?: true;
  /**
   * The target is a tree (`…/**`) that has what this folder has, as after a move. The pipeline looks into the folder
   * and replaces the effect by those on entries that rules deny or ask about; what is no folder has none.
   */
  readonly entriesOf?: string;
  /**
   * Of a `package.json` that is written: the names of the scripts that change; missing if all may. Of a command: the
   * files, scripts (`/ws/package.json#test`) and programs that it runs in turn; missing where that is not known.
   */
  readonly scripts?: readonly string[];
  /** Of a `package.json` that is written: nothing changes but versions of packages from the registry. */
  readonly versionsOnly?: true;
  /** Its pattern is a shell's: what is wild at the beginning of a name stands for no name that begins with a dot. */
  readonly visible?: true;
  /** Of a command: it runs programs and files of the project and nothing else, as far as the disk tells. */
  readonly ownCode?: true;
  /** Of a command: what the entry of its program in the catalogue says of it. */
  readonly meaning?: {
    readonly program: string;
    /** The words of its subcommand. */
    readonly words: readonly string[];
    /** Capabilities. Rules on these can forbid the command or ask about it. */
    readonly does: readonly string[];
    /** Those that words which are not known may mean, at worst. */
    readonly feared?: readonly string[];
    /** It does nothing else: where no rule matches the command, rules that allow all of these allow it. */
    readonly isWhole: boolean;
  };
  /** What a person should know of it. Decides nothing. */
  readonly note?: string;
}

/** What a command does, by the entry of its program in the catalogue. */
export type CommandMeaning = NonNullable<Effect["meaning"]>;

/** Why it is not known which file an effect is about; `undefined` if that is known. */
export function unknownFile({ capability, target, note }: Effect): string | undefined {
  return capability.startsWith("fs.") && target === "/**" && note !== undefined ? `${note}.` : undefined;
}

export function fsRead(path: string): Effect {
  return { capability: "fs.read", target: path };
}

export function fsWrite(path: string): Effect {
  return { capability: "fs.write", target: path };
}

export function fsDelete(path: string): Effect {
  return { capability: "fs.delete", target: path };
}

export function netFetch(host: string): Effect {
  return { capability: "net.fetch", target: host };
}

/**
 * The target is the command line: its arguments as the program gets them, with single spaces between them,
 * quoted where they need it. What a shell would still expand is no word yet; say `shell.dynamic` for it.
 */
export function shellRun(argv: readonly string[]): Effect {
  return { capability: "shell.run", target: joinCommand(argv) };
}

const PLAIN_WORD = /^[\w@%+=:,./*-]+$/;

/** One text for a command; `splitCommand` gives the same arguments again. */
export function joinCommand(argv: readonly string[]): string {
  return argv.map((word) => (PLAIN_WORD.test(word) ? word : quotedWord(word))).join(" ");
}

/** A word as a shell reads it, whatever is in it. */
export function quotedWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

export function splitCommand(target: string): string[] {
  const parts = target.match(/(?:'[^']*'|\\'|[^\s'])+/g) ?? [];
  return parts.map((word) =>
    word.replaceAll(/'([^']*)'|\\'/g, (quoted, inner: string | undefined) => inner ?? quoted[1] ?? ""),
  );
}

export function envRead(name: string): Effect {
  return { capability: "env.read", target: name };
}

/** An effect of any other capability, by name. */
export function effect(capability: string, target: string): Effect {
  return { capability, target };
}

/**
 * What a call is about to do, for `effects` of a tool. A tool that leaves `effects` out has those of its `requires`.
 *
 * @example
 * defineTool({ …, effects: ({ from, to }) => [effects.read(from), effects.write(to)] });
 */
export const effects = Object.freeze({
  /** `fs.read` of an absolute path; `/dir/**` for a whole directory. */
  read: fsRead,
  /** `fs.write` of an absolute path. */
  write: fsWrite,
  /** `fs.delete` of an absolute path. */
  delete: fsDelete,
  /** `shell.run` of a program with its arguments. */
  run: shellRun,
  /** `net.fetch` of a host. */
  fetch: netFetch,
  /** `env.read` of an environment variable. */
  env: envRead,
  /** Any other capability, such as `git.push`. */
  of: effect,
});

/** The one effect of a call whose tool did not say what it needs. */
export const UNKNOWN_CAPABILITY = "unknown";

const READING = /(?:^|\.)(?:read|fetch|search|list)$/;

/** Whether the effect leaves what it touches as it was. */
export function isReading(capability: string): boolean {
  return capability === "fs.read" || capability === "net.fetch" || READING.test(capability);
}

/**
 * What a tool may ever need, declared when it is registered. Paths and hosts are patterns and may
 * contain variables: `{workspace}`, `{ad-hoc}`, `{user-data}`, `{tmp}`, and those that the host application declares.
 */
export interface RequirementSet {
  readonly fs?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
  readonly net?: { readonly hosts?: readonly string[] };
  readonly shell?: readonly ShellRequirement[];
  /** Names of environment values. */
  readonly env?: readonly string[];
  /** Any capability that the other fields do not cover, by name. */
  readonly capabilities?: readonly string[];
}

/** One command a tool may run: the executable and, in order, what its arguments may be. */
export interface ShellRequirement {
  readonly cmd: string;
  readonly args?: readonly ArgPattern[];
}

/** Matches one argument exactly, any one argument, or one that starts with the prefix. */
export type ArgPattern = string | { readonly wildcard: true } | { readonly prefix: string };

/** What the variables in requirements stand for in this session. A variable may have several values, or none. */
export interface Variables {
  readonly workspace?: readonly string[];
  readonly "ad-hoc"?: readonly string[];
  readonly "user-data"?: readonly string[];
  /** The folders for temporary files. In a sandbox: `/tmp`, of which every session has its own. */
  readonly tmp?: readonly string[];
  /** One that the host application declares: absolute paths, or names such as `eu-west` or `api.acme.example`. */
  readonly [name: string]: readonly string[] | undefined;
}

/** The most an agent may need, whatever its tools declare. Default: unlimited. */
export type Ceiling = RequirementSet | "unlimited";

/** The capabilities that the calls of a tool may have: what rules on them can name. */
export function capabilitiesOf(requires: RequirementSet | "unknown" | undefined): readonly string[] {
  if (requires === undefined || requires === "unknown") return ["unknown"];
  const { fs = {}, net, shell, env, capabilities = [] } = requires;
  return [
    ...(fs.read === undefined ? [] : ["fs.read"]),
    ...(fs.write === undefined ? [] : ["fs.write"]),
    ...(net?.hosts === undefined || net.hosts.length === 0 ? [] : ["net.fetch"]),
    ...(shell === undefined ? [] : ["shell.run"]),
    ...(env === undefined ? [] : ["env.read"]),
    ...capabilities,
  ];
}

/**
 * What the rules deny on paths to the tool of a call, whatever its commands name. A command may touch more than its
 * args say, so a sandbox masks these paths. Paths are absolute and free of links.
 */
export interface PathDenies {
  /** What is denied on exactly this path; `undefined` for nothing. */
  at(path: string): DeniedAccess | undefined;
  /** What is denied on a folder and on everything that is or could be beneath it; `undefined` for nothing. */
  beneath(folder: string): DeniedAccess | undefined;
  /**
   * Whether a rule may deny something beneath a folder. Rules on names that every sandbox looks for by itself
   * (secrets to hide, auto-executed configuration to guard) are left out, so that they cost no second walk.
   */
  reaches(folder: string): boolean;
  /** Whether a rule names a folder such as `node_modules`, which is not looked into otherwise. */
  names(folder: string): boolean;
}

/** The rule that denies each access, as it is written. */
export interface DeniedAccess {
  readonly read?: string;
  readonly write?: string;
  readonly delete?: string;
}
