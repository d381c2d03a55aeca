import { posix } from "node:path";
import type { Effect } from "@toolkeep/core";
import type { CanonicalEffect, Label, ToolMode } from "@toolkeep/core/internal";
import { type PolicyCall, type PolicyContext, policyCall, policyContext } from "@toolkeep/core/policy";
import { commandEffects } from "@toolkeep/core/ports";
import { parseCommand } from "../commands/parse-command.ts";
import type { TestCall, TestEffect, TestFacts } from "./policy-file.ts";

/** Where relative paths lie. */
export interface TestPlaces {
  readonly workspace: string;
  readonly home: string;
}

/**
 * The call as the tool itself would foresee it.
 * @throws ToolFailure for a command line that cannot be parsed.
 */
export async function callOfTest(
  call: TestCall,
  facts: TestFacts,
  directories: TestPlaces,
): Promise<PolicyCall> {
  if (call.kind === "tool") return callOfTool(call.tool, call.argument, facts, directories);
  const effects = call.effects.map((effect) => placed(effect, "declared", facts, directories));
  if (call.kind === "mcp") {
    const { server, tool } = call;
    const said = effects.length > 0 ? effects : [{ capability: "unknown", target: "*" }];
    return policyCall({
      tool: `${server}_${tool}`,
      source: "mcp",
      remote: { serverId: server, tool },
      effects: said,
    });
  }
  const [tool = "", action] = call.tool.split(".");
  if (action === undefined) return policyCall({ tool, effects });
  return policyCall({ tool, effects, actionArgument: "action", args: { action } });
}

/** What is known about the session in which the call is made. */
export function policyContextOfTest(facts: TestFacts): PolicyContext {
  const { sandboxed, user, groups, agent, environment, role } = facts;
  const taint = new Set<Label>();
  if (facts.untrusted) taint.add("untrusted");
  if (facts.private) taint.add("private");
  const usual = policyContext();
  return policyContext({
    sandbox: sandboxed ? "files-and-network" : "none",
    taint,
    principal: {
      ...usual.principal,
      ...(user === undefined ? {} : { user }),
      ...(groups === undefined ? {} : { groups }),
      ...(agent === undefined ? {} : { agent }),
      ...(environment === undefined ? {} : { environment }),
      ...(role === undefined ? {} : { role }),
    },
  });
}

interface ToolShape {
  readonly mode: ToolMode;
  /** The name of the argument. */
  readonly argument: string;
  effects(argument: string, directories: TestPlaces): readonly Effect[] | Promise<readonly Effect[]>;
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
    effects: async (line, { home }) => commandEffects(await parseCommand(line, { home }), line),
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

async function callOfTool(
  tool: string,
  argument: string,
  facts: TestFacts,
  directories: TestPlaces,
): Promise<PolicyCall> {
  const shape = SHAPES[tool];
  if (shape === undefined) throw new Error(`There is no shorthand for ${tool}.`);
  const known = tool === "bash" ? "inferred" : "enforced";
  const resolved = await shape.effects(argument, directories);
  const effects = resolved.map((effect) => placed(effect, known, facts, directories));
  return policyCall({
    tool,
    source: "bundled",
    mode: shape.mode,
    args: { [shape.argument]: argument },
    effects,
  });
}

function placed(
  effect: Effect | TestEffect,
  known: CanonicalEffect["known"],
  { forced }: TestFacts,
  directories: TestPlaces,
): Effect {
  const target = effect.capability.startsWith("fs.") ? absolute(effect.target, directories) : effect.target;
  return { ...effect, target, known, ...(forced ? { forced: true as const } : {}) };
}

function absolute(path: string, { workspace, home }: TestPlaces): string {
  const expanded = path === "~" || path.startsWith("~/") ? `${home}${path.slice(1)}` : path;
  const plain = posix.resolve(workspace, expanded);
  return plain === "" ? "/" : plain;
}

/** The folder that a pattern is searched in: what stands before its first wildcard. */
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
