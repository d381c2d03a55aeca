import { posix } from "node:path";
import type { Effect } from "@toolkeep/core";
import {
  CallHistory,
  type CanonicalEffect,
  defined,
  invalidOption,
  type Label,
  type ToolMode,
} from "@toolkeep/core/internal";
import { type PolicyCall, type PolicyContext, policyCall, policyContext } from "@toolkeep/core/policy";
import { commandEffects, type ParsedCommand } from "@toolkeep/core/ports";
import type { TestCall, TestDirectories, TestEffect, TestFacts } from "./policy-file.ts";

/** Parses a command line, as `parseCommand` of `@toolkeep/node` does. */
export type CommandParser = (line: string, options: { readonly home: string }) => Promise<ParsedCommand>;

/** What the calls of tests are resolved with. */
export interface TestSetting {
  readonly directories: TestDirectories;
  readonly parseCommand: CommandParser | undefined;
  readonly effectsOf?: EffectMap | undefined;
}

/** What a tool of an MCP server does with its arguments, according to an effect map; `undefined` without one. */
export type EffectMap = (
  address: { readonly server: string; readonly tool: string },
  args: Readonly<Record<string, unknown>>,
) => Promise<readonly Effect[] | undefined>;

/** The call with the effects that the tool itself would declare. @throws ToolFailure for a line that cannot be parsed. */
export async function callOfTest(
  call: TestCall,
  facts: TestFacts,
  setting: TestSetting,
): Promise<PolicyCall> {
  if (call.kind === "tool") return callOfTool(call.tool, call.argument, facts, setting);
  const { directories } = setting;
  const { args = {} } = facts;
  const effects = call.effects.map((effect) => canonical(effect, "declared", facts, directories));
  if (call.kind === "mcp") {
    const { server, tool } = call;
    const mapped = effects.length > 0 ? effects : await mappedEffects({ server, tool }, facts, setting);
    return policyCall({
      tool: `${server}_${tool}`,
      source: "mcp",
      remote: { serverId: server, tool },
      effects: mapped,
      args,
    });
  }
  const [tool = "", action] = call.tool.split(".");
  if (action === undefined) return policyCall({ tool, effects, args });
  return policyCall({ tool, effects, actionArgument: "action", args: { ...args, action } });
}

/** As the gateway resolves them: what a tool without a map does is not known. */
async function mappedEffects(
  address: { readonly server: string; readonly tool: string },
  facts: TestFacts,
  { effectsOf, directories }: TestSetting,
): Promise<readonly Effect[]> {
  const mapped = await effectsOf?.(address, facts.args ?? {});
  if (mapped === undefined) return [{ capability: "unknown", target: "*" }];
  return mapped.map((effect) => canonical(effect, "declared", facts, directories));
}

/** The policy context that the facts of a test describe. Without `now` it is the time of the test. */
export function policyContextOfTest(facts: TestFacts, call: PolicyCall): PolicyContext {
  const { sandboxed, trusted = false, user, groups, agent, environment, role, tenant } = facts;
  const { now = Date.now(), earlier = [] } = facts;
  const history = new CallHistory();
  for (const { agoMs, count } of earlier)
    for (let index = 0; index < count; index += 1) history.add(`${agoMs}/${index}`, now - agoMs, call);
  const taint = new Set<Label>();
  if (facts.untrusted) taint.add("untrusted");
  if (facts.private) taint.add("private");
  const usual = policyContext();
  return policyContext({
    sandbox: sandboxed ? "files-and-network" : "none",
    isTrusted: trusted,
    taint,
    now,
    earlier: history,
    principal: { ...usual.principal, ...defined({ user, groups, tenant, agent, environment, role }) },
  });
}

interface ToolShape {
  readonly mode: ToolMode;
  /** The name of the argument. */
  readonly argument: string;
  effects(argument: string, setting: TestSetting): readonly Effect[] | Promise<readonly Effect[]>;
}

const SHAPES: Readonly<Record<string, ToolShape>> = {
  read: { mode: "read", argument: "path", effects: (path) => [{ capability: "fs.read", target: path }] },
  write: {
    mode: "safe_write",
    argument: "path",
    effects: (path) => [{ capability: "fs.write", target: path }],
  },
  edit: {
    mode: "safe_write",
    argument: "path",
    effects: (path) => ["fs.read", "fs.write"].map((capability) => ({ capability, target: path })),
  },
  glob: {
    mode: "read",
    argument: "pattern",
    effects: (pattern) => [{ capability: "fs.read", target: folderOf(pattern) }],
  },
  grep: { mode: "read", argument: "pattern", effects: () => [{ capability: "fs.read", target: "." }] },
  bash: {
    mode: "local",
    argument: "command",
    effects: commandLineEffects,
  },
  web_fetch: {
    mode: "external",
    argument: "url",
    effects: (url) => [{ capability: "net.fetch", target: hostOf(url) }],
  },
  web_search: {
    mode: "external",
    argument: "query",
    effects: (query) => [{ capability: "net.search", target: query }],
  },
};

async function commandLineEffects(
  line: string,
  { directories: { home }, parseCommand }: TestSetting,
): Promise<readonly Effect[]> {
  if (parseCommand !== undefined)
    // There is no folder to look into: what is moved is taken for a file.
    return commandEffects(await parseCommand(line, { home }), line).filter(
      ({ entriesOf }) => entriesOf === undefined,
    );
  throw invalidOption(
    `The command ${JSON.stringify(line)} cannot be evaluated without a parser. Pass \`parseCommand\` of @toolkeep/node.`,
  );
}

async function callOfTool(
  tool: string,
  argument: string,
  facts: TestFacts,
  setting: TestSetting,
): Promise<PolicyCall> {
  const shape = SHAPES[tool];
  if (shape === undefined) throw new Error(`A test cannot name the tool ${tool} this way.`);
  const known = tool === "bash" ? "inferred" : "enforced";
  // There is no disk to look at: what is moved is a file.
  const resolved = (await shape.effects(argument, setting)).filter(
    ({ entriesOf }) => entriesOf === undefined,
  );
  const effects = resolved.map((effect) => canonical(effect, known, facts, setting.directories));
  return policyCall({
    tool,
    source: "bundled",
    mode: shape.mode,
    args: { ...facts.args, [shape.argument]: argument },
    effects,
  });
}

function canonical(
  effect: Effect | TestEffect,
  known: CanonicalEffect["known"],
  { forced, "versions-only": versionsOnly, "own-code": ownCode }: TestFacts,
  directories: TestDirectories,
): Effect {
  const target = effect.capability.startsWith("fs.") ? absolute(effect.target, directories) : effect.target;
  return {
    ...effect,
    target,
    known,
    ...(forced ? { forced: true as const } : {}),
    ...(versionsOnly ? { versionsOnly: true as const } : {}),
    ...(ownCode && effect.capability === "shell.run" ? { ownCode: true as const } : {}),
  };
}

function absolute(path: string, { workspace, home }: TestDirectories): string {
  const expanded = path === "~" || path.startsWith("~/") ? `${home}${path.slice(1)}` : path;
  const plain = posix.resolve(workspace, expanded);
  return plain === "" ? "/" : plain;
}

/** The folder that a pattern is searched in: everything before its first wildcard. */
function folderOf(pattern: string): string {
  const segments = pattern.split("/");
  const wild = segments.findIndex((segment) => /[*?[{]/.test(segment));
  const folder = (wild === -1 ? segments.slice(0, -1) : segments.slice(0, wild)).join("/");
  if (folder !== "") return folder;
  return pattern.startsWith("/") ? "/" : ".";
}

function hostOf(address: string): string {
  try {
    return new URL(address.includes("://") ? address : `https://${address}`).hostname;
  } catch {
    return address;
  }
}
