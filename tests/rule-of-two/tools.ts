import {
  createRegistry,
  defineTool,
  type Effect,
  type Registry,
  type RequirementSet,
  type Tool,
} from "@toolkeep/core";
import { effect, envRead, fsRead, fsWrite, netFetch, type RemoteAddress } from "@toolkeep/core/internal";
import { commandEffects } from "@toolkeep/core/ports";

/** One execution that really came about. */
export interface Execution {
  readonly callId: string;
  readonly toolName: string;
}

type Args = Readonly<Record<string, unknown>>;

interface Spec {
  readonly name: string;
  readonly requires: RequirementSet | "unknown";
  readonly effects?: (args: Args) => readonly Effect[];
  readonly remote?: RemoteAddress;
  readonly result?: string;
}

const ANYWHERE = { fs: { read: ["/**"], write: ["/**"] } } as const;
const ANY_HOST = { net: { hosts: ["*"] } } as const;

const OWN: readonly Spec[] = [
  {
    name: "read_file",
    requires: ANYWHERE,
    effects: ({ path }) => [fsRead(String(path))],
    result: "line\n".repeat(1_000),
  },
  { name: "write_file", requires: ANYWHERE, effects: ({ path }) => [fsWrite(String(path))] },
  { name: "search_code", requires: ANYWHERE, effects: ({ folder }) => [fsRead(String(folder))] },
  { name: "fetch_page", requires: ANY_HOST, effects: ({ url }) => [netFetch(hostOf(url))] },
  { name: "show_image", requires: ANY_HOST, effects: ({ url }) => [netFetch(hostOf(url))] },
  { name: "post_webhook", requires: ANY_HOST, effects: ({ url }) => [netFetch(hostOf(url))] },
  { name: "upload_result", requires: ANY_HOST, effects: () => [netFetch("files.example")] },
  {
    name: "read_environment",
    requires: { capabilities: ["env.read"] },
    effects: ({ name }) => [envRead(String(name))],
  },
  {
    name: "push_branch",
    requires: { capabilities: ["git.push"] },
    effects: ({ branch }) => [effect("git.push", `origin ${branch}`)],
  },
  {
    name: "send_email",
    requires: { capabilities: ["email.send"] },
    effects: ({ to }) => [effect("email.send", String(to))],
  },
];

const FOREIGN: readonly (Spec & { readonly source: "mcp" | "ai-sdk" })[] = [
  { name: "get_issue", requires: "unknown", source: "mcp" },
  { name: "add_comment", requires: "unknown", source: "mcp" },
  { name: "lookup", requires: "unknown", source: "ai-sdk" },
];

function hostOf(url: unknown): string {
  return new URL(String(url)).hostname;
}

/** Tools with the effects of real ones, which do nothing but write down that they ran. */
export function recordingTools(executions: Execution[]): Registry {
  const registry = createRegistry();
  for (const spec of OWN) registry.register(recording(spec, executions));
  registry.register(bash(executions));
  for (const { source, ...spec } of FOREIGN) {
    const tool = recording(
      source === "mcp" ? { ...spec, remote: { serverId: "tracker", tool: spec.name } } : spec,
      executions,
    );
    registry.register(tool, { origin: { layer: "user", source, id: "tracker" } });
  }
  return registry;
}

function recording(spec: Spec, executions: Execution[]): Tool {
  const { name, requires, effects, remote, result = "done" } = spec;
  return defineTool({
    name,
    description: `Stands in for ${name}.`,
    inputSchema: { type: "object" } as Record<string, unknown>,
    requires,
    maxOutput: { bytes: 1_000 },
    ...(remote === undefined ? {} : { remote }),
    ...(effects === undefined ? {} : { effects: (args: unknown) => effects(args as Args) }),
    execute(_args, { toolCallId }) {
      executions.push({ callId: toolCallId, toolName: name });
      return result;
    },
  }) as Tool;
}

function bash(executions: Execution[]): Tool {
  return defineTool({
    name: "bash",
    description: "Stands in for a shell.",
    inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    requires: {
      ...ANYWHERE,
      capabilities: ["shell.run", "shell.dynamic", "git.push", "git.commit", "package.publish"],
    },
    effects: async ({ command }, resolver) => commandEffects(await resolver.parseCommand(command), command),
    execute(_args, { toolCallId }) {
      executions.push({ callId: toolCallId, toolName: "bash" });
      return "done";
    },
  }) as Tool;
}
