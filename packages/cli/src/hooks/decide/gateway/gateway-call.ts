import { isAbsolute, join } from "node:path";
import { createRegistry, type SessionStore } from "@toolkeep/core";
import {
  markSession,
  marksOfCall,
  type SessionMarks,
  sessionMarks,
  unlessThrown,
} from "@toolkeep/core/internal";
import { policyCall } from "@toolkeep/core/policy";
import {
  absolutePaths,
  mapFor,
  prefixedName,
  type ServerEntry,
  settingsFor,
  type ToolAddress,
} from "@toolkeep/mcp/internal";
import { delegationTo, type HookClientName, type RemoteToolCall } from "../../../clients/hook-call.ts";
import { isFields } from "../../../clients/payload.ts";
import type { Project } from "../../../project/read-project.ts";
import { type ChosenServers, chooseServers } from "../../../tools/servers/choose-servers.ts";
import { openConversation } from "../conversation/open-conversation.ts";
import { nameInTools } from "../dry-run/configured-servers.ts";
import { dryRunTool, type FoundTool } from "../dry-run/remote-dry-run-tool.ts";
import { explanationOf } from "../verdict/refused-calls.ts";
import { leaveMarks } from "./conversation-marks.ts";

/** The name of the entry with all servers. */
const ALL_SERVERS = "toolkeep";
/** The gateway's tool that calls another one. */
const CALL_TOOL = "call_tool";

export interface GatewayHook {
  readonly call: RemoteToolCall;
  /** The client's id of the call. */
  readonly callId: string | undefined;
  /** The name of the entry in the client's configuration. */
  readonly name: string;
  readonly sessionId: string;
  readonly client: HookClientName;
  readonly project: Project;
}

/**
 * For a call that our gateway decides about: the gateway gets what the conversation has taken in or touched, and the
 * conversation is marked by what the call brings. So both decide with the same marks, and one of them asks.
 */
export async function shareMarks(store: SessionStore, hook: GatewayHook): Promise<void> {
  const { callId, name, sessionId, client, project } = hook;
  const called = await calledTool(hook);
  const tool = dryRunTool(called.address, called.found);
  const registry = createRegistry();
  registry.register(tool, { origin: { layer: "project", source: "mcp", id: called.address.server } });
  const session = await openConversation(store, { sessionId, registry, project, by: delegationTo(client) });
  try {
    const wrapped = name === ALL_SERVERS ? undefined : name;
    await leaveMarks({ project: project.root, wrapped, sessionId, callId, marks: sessionMarks(session) });
    const explained = await explanationOf(session, { tool: tool.name, arguments: called.arguments });
    const { server: serverId, tool: own } = called.address;
    const marks = marksOfCall(
      session,
      policyCall({
        tool: tool.name,
        args: called.arguments,
        // Arguments that the map cannot read say nothing of what the call does.
        effects: explained?.effects ?? [{ capability: "mcp.call", target: `${serverId}:${own}` }],
        source: "mcp",
        remote: { serverId, tool: own },
      }),
    );
    markSession(session, named(tool.name, marks, called.found), callId);
  } finally {
    await session.close();
  }
}

function named(tool: string, marks: SessionMarks, { isPrivate }: FoundTool): SessionMarks {
  const causes = [...marks].map(([label, by]) => [label, `a call of ${tool} ${by}`] as const);
  const isSet = isPrivate && !marks.has("private");
  return new Map([
    ...causes,
    ...(isSet
      ? ([["private", `the settings of its server say that ${tool} returns private data`]] as const)
      : []),
  ]);
}

interface CalledTool {
  readonly address: ToolAddress;
  readonly found: FoundTool;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What the gateway calls, with the effects that it resolves. A tool without a map may do anything. */
async function calledTool({ call, name, project }: GatewayHook): Promise<CalledTool> {
  const { tool, arguments: args } = innerCall(call, name);
  const isOfAll = name === ALL_SERVERS;
  const chosen = await chooseServers(project.root, isOfAll ? undefined : [name]).catch(() => undefined);
  const servers = chosen?.servers ?? [];
  const entry = isOfAll ? servers.find(({ name }) => tool.startsWith(`${nameInTools(name)}_`)) : servers[0];
  if (chosen === undefined || entry === undefined)
    return { address: { server: name, tool }, found: UNKNOWN, arguments: args };
  const settings = settingsFor(entry, chosen.settings);
  const tools = (await mapOf(entry, chosen))?.tools ?? {};
  const own = isOfAll
    ? Object.keys(tools).find((one) => prefixedName({ server: entry.name, tool: one }) === tool)
    : tool;
  const mapped = own !== undefined && Object.hasOwn(tools, own) ? tools[own] : undefined;
  const folder = startedIn(entry, project.root);
  return {
    address: { server: entry.name, tool: own ?? tool },
    found: { mapped, files: settings.files ?? [], isPrivate: settings.isPrivate === true },
    arguments: mapped === undefined || folder === undefined ? args : pathsFrom(folder, mapped, args),
  };
}

const UNKNOWN: FoundTool = { mapped: undefined, files: [], isPrivate: false };

async function mapOf(entry: ServerEntry, { settings, maps }: ChosenServers) {
  try {
    return await mapFor({ entry, settings: settingsFor(entry, settings), maps });
  } catch {
    // The gateway does not start such a server.
    return undefined;
  }
}

function innerCall({ candidates, arguments: args }: RemoteToolCall, name: string) {
  const ours = candidates.find(({ server }) => server === "" || nameInTools(server) === nameInTools(name));
  const { name: inner, arguments: given = {} } = args;
  if (ours?.tool === CALL_TOOL && typeof inner === "string" && isFields(given))
    return { tool: inner, arguments: given };
  return { tool: ours?.tool ?? "", arguments: args };
}

/** Where relative paths start: a program of a project is started in it. */
function startedIn(entry: ServerEntry, project: string): string | undefined {
  if (entry.kind !== "stdio") return undefined;
  if (entry.cwd !== undefined) return isAbsolute(entry.cwd) ? entry.cwd : join(project, entry.cwd);
  return entry.isOfProject ? project : undefined;
}

function pathsFrom(folder: string, mapped: NonNullable<FoundTool["mapped"]>, args: CalledTool["arguments"]) {
  return unlessThrown(() => absolutePaths(mapped, args, folder) as CalledTool["arguments"]) ?? args;
}
