import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Effect, Rule } from "@toolkeep/core";
import { effect, fsDelete, fsRead, fsWrite, netFetch, unlessThrown } from "@toolkeep/core/internal";
import { compilePolicy, policyCall, policyContext } from "@toolkeep/core/policy";
import { commandEffects } from "@toolkeep/core/ports";
import { canonicalPath, parseCommand } from "@toolkeep/node/internal";
import { type ClaudeEntries, type ClaudeProject, claudeEntries } from "../../../clients/claude-settings.ts";
import type { DryRunCall, HookCall, RemoteTool } from "../../../clients/hook-call.ts";

/** What Claude Code's own permission entries say about a call, and which entry says so. */
export interface ClientEntry {
  readonly action: "deny" | "ask" | "allow" | "none";
  /** The settings file of the entry. */
  readonly at?: string;
}

/**
 * Evaluates Claude Code's own permission entries (managed, user, project and local settings) on the call as the model
 * wrote it. The client evaluates them on what a hook rewrites, and an `allow` of a hook may skip some of them, so a hook
 * rewrites or allows nothing for which this says `deny` or `ask`: it leaves the call to the client, which knows exactly
 * what its entry means.
 *
 * `deny` and `ask` may be said of more than the client means, also for a file that cannot be read. `allow` is said of
 * no more than the client allows. Entries of the command line of the client are not known here.
 */
export async function clientEntries(
  call: Pick<HookCall, "label" | "calls" | "remote" | "cwd">,
  project: ClaudeProject,
): Promise<ClientEntry> {
  const entries = await claudeEntries(project);
  if (entries.unread !== undefined) return { action: "ask", at: entries.unread };
  if (entries.narrowing.length === 0 && entries.allowing.length === 0) return NONE;
  const said = await Promise.all(
    call.remote === undefined
      ? call.calls.map((one) => entryFor(one, call, { entries, project }))
      : call.remote.candidates.map(async (one) => remoteEntry(one, { entries, project })),
  );
  return strictest(said);
}

const NONE: ClientEntry = { action: "none" };
const ORDER = ["deny", "ask", "none", "allow"] as const;

/** One entry for all parts of a call: it is allowed only if each part is. */
function strictest(said: readonly ClientEntry[]): ClientEntry {
  for (const action of ORDER) {
    const found = said.find((one) => one.action === action);
    if (found !== undefined) return found;
  }
  return NONE;
}

interface Evaluation {
  readonly entries: ClaudeEntries;
  readonly project: ClaudeProject;
}

async function entryFor(
  call: DryRunCall,
  { label, cwd }: Pick<HookCall, "label" | "cwd">,
  evaluation: Evaluation,
): Promise<ClientEntry> {
  const effects = await effectsOf(call, cwd);
  const names = call.tool === "client_unknown" ? [label] : [call.tool, label];
  const narrowed = names.map((tool) => narrowing(policyCall({ tool, effects }), evaluation));
  const line = call.arguments["command"];
  const isDynamic = effects.some(({ capability }) => capability === "shell.dynamic");
  const mentioned =
    isDynamic && typeof line === "string" ? mentioning(line, evaluation.entries.narrowing) : NONE;
  const strict = strictest([...(await Promise.all(narrowed)), mentioned]);
  if (strict.action !== "none") return strict;
  return allowing(policyCall({ tool: call.tool, effects }), evaluation);
}

async function remoteEntry({ server, tool }: RemoteTool, evaluation: Evaluation): Promise<ClientEntry> {
  const call = policyCall({
    tool: `${server}_${tool}`,
    source: "mcp",
    remote: { serverId: server, tool },
    effects: [effect("unknown", "*")],
  });
  const strict = await narrowing(call, evaluation);
  return strict.action === "none" ? allowing(call, evaluation) : strict;
}

type Evaluated = ReturnType<typeof policyCall>;

async function narrowing(call: Evaluated, { entries, project }: Evaluation): Promise<ClientEntry> {
  const { steps } = await explained(call, entries.narrowing, project);
  const matched = steps.filter(({ layer }) => layer === "rule");
  return strictest(
    matched.map(({ said, at }) => ({
      action: said === "deny" ? "deny" : "ask",
      ...(at === undefined ? {} : { at }),
    })),
  );
}

async function allowing(call: Evaluated, { entries, project }: Evaluation): Promise<ClientEntry> {
  const { decision } = await explained(call, entries.allowing, project);
  if (decision.action !== "allow" || decision.layer !== "rule") return NONE;
  return { action: "allow", ...(decision.at === undefined ? {} : { at: decision.at }) };
}

function explained(call: Evaluated, rules: readonly Rule[], { root }: ClaudeProject) {
  const policy = compilePolicy({ rules, builtIn: "off", variables: { workspace: [root] } });
  return policy.explain(call, policyContext({ roots: [root] }));
}

/** The client compares the text of a line whose commands are not all known here. */
function mentioning(line: string, rules: readonly Rule[]): ClientEntry {
  const found = rules.filter(({ permission, pattern }) => {
    const [, program] = permission === "shell.run" ? (/^([\w./-]+)/.exec(pattern ?? "") ?? []) : [];
    return permission === "shell.run" && (program === undefined || line.includes(program));
  });
  return strictest(
    found.map(({ action, at }) => ({
      action: action === "deny" ? "deny" : "ask",
      ...(at === undefined ? {} : { at }),
    })),
  );
}

/** The effects that the words of a call name. The disk is not looked at: the client does not look either. */
async function effectsOf({ tool, arguments: args }: DryRunCall, cwd: string): Promise<readonly Effect[]> {
  if (tool === "bash") return commandLineEffects(args, cwd);
  if (tool === "web_fetch") return [netFetch(hostOf(String(args["url"])))];
  if (tool === "web_search") return [effect("net.search", "web")];
  if (tool === "client_unknown") return [effect("unknown", "*")];
  const paths = await pathsOf(args["path"], cwd);
  return paths.flatMap((path) => PATH_EFFECTS[tool].map((make) => make(path)));
}

const PATH_EFFECTS = {
  read: [fsRead],
  grep: [fsRead],
  glob: [fsRead],
  list: [fsRead],
  write: [fsWrite],
  edit: [fsRead, fsWrite],
  delete: [fsDelete],
} as const satisfies Record<string, readonly ((path: string) => Effect)[]>;

async function commandLineEffects(args: DryRunCall["arguments"], cwd: string): Promise<readonly Effect[]> {
  const { command, workdir } = args;
  const line = String(command);
  const folder = typeof workdir === "string" ? fromFolder(workdir, cwd) : cwd;
  const parsed = await parseCommand(line, { home: homedir(), folder });
  const found = await Promise.all(
    commandEffects(parsed, line)
      .filter(({ entriesOf }) => entriesOf === undefined)
      .map(async (one) => {
        if (!one.capability.startsWith("fs.")) return [one];
        return (await pathsOf(one.target, folder)).map((target) => ({ ...one, target }));
      }),
  );
  return found.flat();
}

/** As it is written, and where it leads: an entry may mean either. */
async function pathsOf(path: unknown, folder: string): Promise<readonly string[]> {
  const named = fromFolder(typeof path === "string" ? path : ".", folder);
  return [...new Set([named, await canonicalPath(named)])];
}

function fromFolder(path: string, folder: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? join(path) : join(folder, path);
}

function hostOf(url: string): string {
  return unlessThrown(() => new URL(url).hostname) ?? url;
}
