import {
  createRegistry,
  defineTool,
  type Effect,
  type Registry,
  type RequirementSet,
  type Tool,
} from "@toolkeep/core";
import { fsRead, fsWrite, netFetch } from "@toolkeep/core/internal";
import { commandEffects } from "@toolkeep/core/ports";

type Args = Readonly<Record<string, unknown>>;

/** What a dry-run tool has of the original: its name, its requirements, its effects. */
interface DryRunTool {
  readonly name: string;
  readonly requires: RequirementSet;
  effects(args: Args): readonly Effect[];
}

const ANYWHERE = { fs: { read: ["/**"], write: ["/**"] } } as const;
const READING = { fs: { read: ["/**"] } } as const;
const ANY_HOST = { net: { hosts: ["*"] } } as const;

const DRY_RUN_TOOLS: readonly DryRunTool[] = [
  { name: "read", requires: READING, effects: ({ path }) => [fsRead(String(path))] },
  { name: "glob", requires: READING, effects: ({ folder }) => [fsRead(String(folder))] },
  { name: "grep", requires: READING, effects: ({ folder }) => [fsRead(String(folder))] },
  { name: "write", requires: ANYWHERE, effects: changed },
  { name: "edit", requires: ANYWHERE, effects: changed },
  { name: "web_fetch", requires: ANY_HOST, effects: ({ url }) => [netFetch(new URL(String(url)).hostname)] },
  { name: "web_search", requires: ANY_HOST, effects: () => [netFetch("search.example")] },
];

const TRACKER = "tracker";
const TRACKER_TOOLS = ["list_issues", "get_issue"];

function changed({ path }: Args): readonly Effect[] {
  return [fsRead(String(path)), fsWrite(String(path))];
}

/** Tools with the effects of real ones, which do nothing but write down what they were asked for. */
export function dryRunTools(executed: string[]): Registry {
  const registry = createRegistry();
  for (const dryRunTool of DRY_RUN_TOOLS) registry.register(recording(dryRunTool, executed));
  registry.register(bash(executed));
  for (const tool of TRACKER_TOOLS) {
    registry.register(remote(tool, executed), { origin: { layer: "user", source: "mcp", id: TRACKER } });
  }
  return registry;
}

function recording({ name, requires, effects }: DryRunTool, executed: string[]): Tool {
  return defineTool({
    name,
    description: `Stands in for ${name}.`,
    inputSchema: { type: "object" },
    requires,
    effects: (args) => effects(args as Args),
    execute: (_args, { toolCallId }) => {
      executed.push(toolCallId);
      return "done";
    },
  }) as Tool;
}

function bash(executed: string[]): Tool {
  return defineTool({
    name: "bash",
    description: "Stands in for a shell.",
    inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    requires: {
      ...ANYWHERE,
      capabilities: ["shell.run", "shell.dynamic", "git.push", "git.commit", "package.publish"],
    },
    effects: async ({ command }, resolver) => commandEffects(await resolver.parseCommand(command), command),
    execute: (_args, { toolCallId }) => {
      executed.push(toolCallId);
      return "done";
    },
  }) as Tool;
}

function remote(tool: string, executed: string[]): Tool {
  return defineTool({
    name: `${TRACKER}_${tool}`,
    description: `Stands in for ${tool} of a server.`,
    inputSchema: { type: "object" },
    requires: "unknown",
    remote: { serverId: TRACKER, tool },
    execute: (_args, { toolCallId }) => {
      executed.push(toolCallId);
      return "done";
    },
  }) as Tool;
}
