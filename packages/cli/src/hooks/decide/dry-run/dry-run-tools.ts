import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { defineTool, type Effect, type RequirementSet, type Tool } from "@toolkeep/core";
import {
  changedScriptNames,
  changesVersionsOnly,
  effect,
  fsDelete,
  fsRead,
  fsWrite,
  type ToolMode,
  unlessThrown,
} from "@toolkeep/core/internal";
import type { EffectResolver } from "@toolkeep/core/ports";
import {
  bashTool,
  editTool,
  globTool,
  grepTool,
  listTool,
  readTool,
  webFetchTool,
  writeTool,
} from "@toolkeep/tools/internal";
import { DELEGATED, type DryRunName } from "../../../clients/hook-call.ts";
import { type Fields, isFields } from "../../../clients/payload.ts";

/**
 * Tools with the effects of ours that execute nothing: the client does. They require everything that a client's own
 * tools can reach, and the policy decides. All of them are gated, so that a call that no rule matches asks, as it does
 * for a server's tool.
 */
export function dryRunTools(): readonly Tool[] {
  return [
    dryRunTool({ ...bashTool(), requires: ANY_COMMAND }),
    dryRunTool({ ...readTool(), requires: ANY_FILE }),
    dryRunTool({ ...writeTool(), requires: ANY_FILE, effects: writesOnDisk }),
    dryRunTool({ ...editTool(), requires: ANY_FILE, effects: editsOnDisk }),
    dryRunTool({ ...globTool(), requires: ANY_FILE }),
    dryRunTool({ ...grepTool(), requires: ANY_FILE, effects: searchesOnDisk }),
    dryRunTool({ ...listTool(), requires: ANY_FILE }),
    dryRunTool({ ...webFetchTool(), requires: { net: { hosts: ["*"] } } }),
    dryRunTool({ name: "delete", mode: "destructive", requires: ANY_FILE, effects: deleting }),
    dryRunTool({ name: "web_search", mode: "external", requires: SEARCH, effects: searching }),
    dryRunTool({ name: "client_unknown", mode: "external", requires: "unknown" }),
  ];
}

/** A command that will run in the sandbox: it requires only what the sandbox opens. */
export function confinedDryRunTool(resolve: Resolving = (effects) => effects): Tool {
  const { effects, ...bash } = bashTool();
  return dryRunTool(
    defineTool({
      ...bash,
      effects: async (...line: Parameters<NonNullable<typeof effects>>) =>
        resolve((await effects?.(...line)) ?? []),
    }) as Tool,
  );
}

/** What is decided of the effects of a command before it runs. */
export type Resolving = (effects: readonly Effect[]) => readonly Effect[];

const ANY_FILE: RequirementSet = { fs: { read: ["/**"], write: ["/**"] } };
const ANY_COMMAND: RequirementSet = {
  ...ANY_FILE,
  capabilities: [
    "shell.run",
    "shell.dynamic",
    "git.push",
    "git.commit",
    "git.read",
    "package.publish",
    "package.install",
    "package.run",
  ],
};
const SEARCH: RequirementSet = { capabilities: ["net.search"] };

const deleting = ({ path }: { readonly path: string }) => [fsDelete(path)];
const searching = () => [effect("net.search", "web")];

interface DryRunParts {
  readonly name: DryRunName | (string & {});
  readonly mode: ToolMode;
  readonly requires: Tool["requires"];
  effects?(args: never, resolver: EffectResolver): readonly Effect[] | Promise<readonly Effect[]>;
}

function dryRunTool({ name, mode, requires, effects }: DryRunParts): Tool {
  return defineTool({
    name,
    mode,
    requires,
    description: "A dry run of one of the client's own tools.",
    inputSchema: { type: "object" },
    gated: true,
    ...(effects === undefined ? {} : { effects: (args, resolver) => effects(args as never, resolver) }),
    execute: () => DELEGATED,
  }) as Tool;
}

/** A search of a client in a tree. */
interface ClientSearch {
  readonly path: string;
  /** As ripgrep takes them: what is searched, or not with a `!`. */
  readonly globs?: readonly string[];
}

/**
 * The effects of a client's search: those of our own tool, and a read of each file in the tree that rules protect or
 * that has the name of a secret, because no client leaves these out. Clients search with ripgrep, which skips what git
 * ignores; whether it skips hidden files depends on the client and its version, so it is taken not to.
 */
export async function searchesOnDisk(
  { path, globs = [] }: ClientSearch,
  resolver: EffectResolver,
): Promise<readonly Effect[]> {
  const own = (await grepTool().effects?.({ pattern: "x", path }, resolver)) ?? [];
  // What a path in a negated glob starts from depends on the client.
  const certain = globs.filter((glob) => !(glob.startsWith("!") && glob.includes("/")));
  const argv = ["rg", "--hidden", ...certain.flatMap((glob) => ["-g", glob]), "-e", "x", "--", path];
  const commands = [{ argv, redirects: [] }];
  const found = (await resolver.commandsOnDisk?.({ line: argv.join(" "), commands, folder: path })) ?? [];
  // A tree that is too large to look through may hold a secret: the session is marked, and size alone asks nothing.
  const isUnknown = found.some(({ capability }) => capability === "shell.dynamic");
  return [
    ...own.map(({ withoutSecrets, ...effect }) =>
      withoutSecrets === true && !isUnknown ? { ...effect, withoutSecrets } : effect,
    ),
    ...found.filter(({ capability }) => capability === "fs.read"),
  ];
}

/** A change of a file by a client, with the texts that it replaces as far as the client says them. */
interface ClientEdit {
  readonly path: string;
  readonly edits?: readonly unknown[];
}

/** A file that a client writes: of a `package.json`, only the scripts that differ from those on disk change. */
function writesOnDisk({
  path,
  content,
}: {
  readonly path: string;
  readonly content: string;
}): readonly Effect[] {
  return [writing(path, () => content)];
}

/** A file that a client edits. */
function editsOnDisk({ path, edits }: ClientEdit): readonly Effect[] {
  return [fsRead(path), writing(path, (text) => edited(text, edits))];
}

function writing(path: string, change: (text: string) => string | undefined): Effect {
  const before = basename(path) === "package.json" ? textAt(path) : undefined;
  const after = before === undefined ? undefined : change(before);
  if (before === undefined || after === undefined) return fsWrite(path);
  const scripts = changedScriptNames(before, after);
  return {
    ...fsWrite(path),
    ...(scripts === undefined ? {} : { scripts }),
    ...(changesVersionsOnly(before, after) ? { versionsOnly: true } : {}),
  };
}

const MOST_EDITS = 100;

/** The text after all edits; `undefined` if the client may do another thing with one of them. */
function edited(text: string, edits: readonly unknown[] | undefined): string | undefined {
  if (edits === undefined || edits.length === 0 || edits.length > MOST_EDITS) return undefined;
  return edits.reduce<string | undefined>((before, edit) => {
    const { old_string: old, new_string: fresh, replace_all: all } = isFields(edit) ? edit : ({} as Fields);
    if (before === undefined || typeof old !== "string" || typeof fresh !== "string" || old === "")
      return undefined;
    if (!before.includes(old)) return undefined;
    const isOnce = before.indexOf(old) === before.lastIndexOf(old);
    if (!isOnce && all !== true) return undefined;
    return before.replaceAll(old, () => fresh);
  }, text);
}

const LARGEST = 1_048_576;

function textAt(path: string): string | undefined {
  return unlessThrown(() => (statSync(path).size > LARGEST ? undefined : readFileSync(path, "utf8")));
}
