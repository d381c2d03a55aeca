import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createRegistry, type Registry } from "@toolkeep/core";
import {
  capabilitiesOf,
  DISCOVERY_RULES,
  defined,
  originName,
  type RegisteredTool,
  toolFolder,
  treatmentOf,
} from "@toolkeep/core/internal";
import { directories } from "@toolkeep/node/internal";
import { standardTools } from "@toolkeep/tools";
import type { Project } from "../../project/read-project.ts";
import { untrustedNames } from "../../project/untrusted-names.ts";
import { decisionOnTool } from "./decision-on-tool.ts";
import type { ClosedSource, ListedTool, ToolList, ToolOrigin } from "./listed-tool.ts";
import type { ServerTools } from "./server-tools.ts";
import { effectsInWords } from "./tool-effects.ts";
import { offOf } from "./why-off.ts";

export interface GatherOptions {
  /** Whether the accepted servers are started. */
  readonly isConnecting: boolean;
}

/**
 * The tools that a session in a project would have: the standard tools, those of tool folders, and those of MCP servers
 * behind the gateway. Nothing of a project is read before it is trusted, and no server is started unless that is asked
 * for.
 */
export async function gatherTools(project: Project, { isConnecting }: GatherOptions): Promise<ToolList> {
  const registry = createRegistry();
  for (const tool of standardTools()) registry.register(tool);
  const inFolders = await ofFolders(project, registry);
  const own = [...registeredTools(registry, project), ...refusedTools(registry, project)];
  const ofServers = await serverTools(project, isConnecting);
  return {
    project: project.root,
    isTrusted: project.isTrusted,
    mode: project.policy.mode ?? "ask",
    discoveryRules: { ...DISCOVERY_RULES, folders: lookedIn(project) },
    tools: withoutTakenNames([...own, ...ofServers.tools]),
    sources: [...inFolders, ...ofServers.sources, ...(await ofUntrusted(project, ofServers.isProjectRead))],
  };
}

/** Loads tool folders only where there are some: it is the greater part of the work. */
async function ofFolders(project: Project, registry: Registry): Promise<readonly ClosedSource[]> {
  if (!lookedIn(project).some(({ folder }) => existsSync(folder))) return [];
  const { loadFolderTools } = await import("./folder-tools.ts");
  return loadFolderTools(project, registry);
}

/** The folders where files with tools are looked for. */
function lookedIn({ root }: Project): ToolList["discoveryRules"]["folders"] {
  return DISCOVERY_RULES.folders.map(({ layer, path, loaded }) => ({
    layer,
    folder: join(layer === "user" ? directories().config : root, path),
    loaded,
  }));
}

/** The files that may name servers, of which none is read here. */
function serverFiles({ root }: Project): readonly string[] {
  const home = homedir();
  return [
    join(directories().config, "mcp.json"),
    ...[".cursor/mcp.json", ".claude.json"].map((name) => join(home, name)),
    ...[".toolkeep/mcp.json", ".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"].map((name) =>
      join(root, name),
    ),
  ];
}

async function serverTools(project: Project, isConnecting: boolean): Promise<ServerTools> {
  if (!serverFiles(project).some((file) => existsSync(file)))
    return { tools: [], sources: [], isProjectRead: false };
  const { listServerTools } = await import("./server-tools.ts");
  return listServerTools(project, { isConnecting });
}

/** The files of a project that are not read, or not as a whole. Those of accepted servers are. */
async function ofUntrusted(project: Project, areServersRead: boolean): Promise<readonly ClosedSource[]> {
  const { root, untrusted, trust } = project;
  if (untrusted === undefined) return [];
  const isChanged = trust.configuration === "changed";
  const names = (await untrustedNames(root)).filter(
    (name) => name.startsWith(TOOLS) || (!isChanged && !(areServersRead && SERVERS.test(name))),
  );
  const why = isChanged
    ? "The project has changed since it was trusted, so this file is not loaded."
    : "The project is not trusted, so this file is not read.";
  return names.map((name) => ({
    name,
    origin: { layer: "project", source: sourceOf(name), file: join(root, name) },
    state: "off",
    why,
    fix: "Run `toolkeep trust`.",
  }));
}

function sourceOf(name: string): ToolOrigin["source"] {
  if (name.startsWith(TOOLS)) return "folder";
  return SERVERS.test(name) ? "mcp" : "config";
}

const TOOLS = `${toolFolder("project")}/`;
const SERVERS = /^(?:\.toolkeep\/mcp\.jsonc?|\.mcp\.json)$/;

function registeredTools(registry: Registry, project: Project): readonly ListedTool[] {
  const refused = new Set(
    registry.diagnostics.map(({ subject, origin }) => `${subject} ${origin && originName(origin)}`),
  );
  const shadows = new Map(registry.inspect().map((one) => [one.name, one.shadows]));
  return registry.list().map((registered) => {
    const { name, tool, origin } = registered;
    const capabilities = capabilitiesOf(tool.requires);
    const decision = decisionOnTool(
      { names: [name], capabilities, isUngated: isUngated(registered) },
      project.policy.rules,
    );
    const hidden = (shadows.get(name) ?? []).filter((one) => !refused.has(`${name} ${originName(one)}`));
    return {
      name,
      origin: shownOrigin(origin, project),
      effects: effectsInWords(tool.requires),
      decision,
      ...offOf([name], decision, project),
      shadows: hidden.map((one) => shownOrigin(one, project)),
    };
  });
}

/** As the pipeline decides about a tool that no rule matches. */
function isUngated({ tool, origin }: RegisteredTool): boolean {
  const { mode, gated, isModeGuessed, requires } = tool;
  const capabilities = capabilitiesOf(requires);
  if (origin.source === "bundled" && capabilities.length === 0 && mode === "read" && !isModeGuessed)
    return true;
  const isKnown =
    origin.source === "bundled" ||
    (origin.source === "folder" && capabilities.every((one) => one === "fs.read"));
  return !gated && isKnown && treatmentOf(mode).base === "allow";
}

/** Tools that the registry refuses, e.g. because a name is locked. */
function refusedTools(registry: Registry, project: Project): readonly ListedTool[] {
  const winners = new Map(registry.list().map(({ name, origin }) => [name, origin]));
  const { critical } = registry;
  return registry.diagnostics.flatMap(({ subject: name, origin, message }) => {
    if (name === undefined || origin === undefined) return [];
    const winner = winners.get(name);
    const isOther = winner !== undefined && originName(winner) !== originName(origin);
    return {
      name,
      origin: shownOrigin(origin, project),
      effects: [],
      decision: { action: "deny", by: "it is refused" },
      off: {
        ...defined({
          category: critical.find((one) => one.subject === name && one.message === message)?.category,
        }),
        why: message,
        fix: `Rename the tool in ${shownOrigin(origin, project).file ?? "its file"}.`,
      },
      shadows: [],
      ...(isOther ? { shadowedBy: shownOrigin(winner, project) } : {}),
    };
  });
}

function shownOrigin({ layer, source, id }: RegisteredTool["origin"], { root }: Project): ToolOrigin {
  if (layer === "bundled" || layer === "code") return { layer: "bundled", source: "bundled" };
  const base = layer === "user" ? directories().config : join(root, ".toolkeep");
  return {
    layer,
    source: source === "mcp" ? "mcp" : "folder",
    ...(id === undefined ? {} : { file: join(base, id) }),
  };
}

/** A server's tool never replaces another one: the name that came first stays. */
function withoutTakenNames(tools: readonly ListedTool[]): readonly ListedTool[] {
  const first = new Map<string, ListedTool>();
  for (const tool of tools)
    if (tool.shadowedBy === undefined && !first.has(tool.name)) first.set(tool.name, tool);
  return tools.map((tool) => {
    const winner = first.get(tool.name);
    if (winner === undefined || winner === tool || tool.off !== undefined) return tool;
    const why = "Another tool has this name.";
    return { ...tool, shadowedBy: winner.origin, off: { why, fix: "Rename one of them." } };
  });
}
