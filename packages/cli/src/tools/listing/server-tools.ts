import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { ToolkeepError } from "@toolkeep/core";
import { capabilitiesOf, defined } from "@toolkeep/core/internal";
import {
  type MappedTool,
  mapFor,
  prefixedName,
  type ReadSettings,
  readServerSettings,
  readServers,
  type ServerEntry,
  type ServerReport,
  serverFingerprint,
  serverToolGovernance,
  settingsFor,
} from "@toolkeep/mcp/internal";
import { isProgram } from "@toolkeep/node/internal";
import type { Project } from "../../project/read-project.ts";
import {
  acceptedIn,
  acceptedServers,
  managedSettingsFile,
  userServersFile,
  userSettingsFile,
} from "../../project/user-files.ts";
import type { ChosenServers } from "../servers/choose-servers.ts";
import { listedServers } from "../servers/managed-servers.ts";
import { withSource } from "../servers/with-source.ts";
import { decisionOnTool } from "./decision-on-tool.ts";
import type { ClosedSource, ListedTool, Off, ToolList, ToolOrigin } from "./listed-tool.ts";
import { effectsInWords } from "./tool-effects.ts";
import { offOf } from "./why-off.ts";

/** For all servers together: they start at the same time. */
const PATIENCE_MS = 10_000;

interface Listing {
  readonly project: Project;
  readonly settings: ReadSettings;
  /** By name, if the servers were started. */
  readonly reports: ReadonlyMap<string, ServerReport> | undefined;
  /** By name, why the administrator lets no user start a server. */
  readonly refused: ReadonlyMap<string, string>;
}

/** What the effect map of a server says of its tools, by the server's own names. */
type MappedTools = Readonly<Record<string, MappedTool>>;

interface ServerListing extends Listing {
  readonly entry: ServerEntry;
  readonly mapped: MappedTools;
}

type Listed = Pick<ToolList, "tools" | "sources">;

export interface ServerTools extends Listed {
  /** Whether the project's own files were read. */
  readonly isProjectRead: boolean;
}

/**
 * The tools of the MCP servers behind the gateway, as far as they are known without starting one: from what was pinned
 * when they were started last. With `isConnecting`, the accepted servers are started first.
 */
export async function listServerTools(
  project: Project,
  { isConnecting }: { readonly isConnecting: boolean },
): Promise<ServerTools> {
  const { root } = project;
  // The user has reviewed the servers of a project that are accepted, whether or not its tools are trusted.
  const isRead = project.isTrusted || (await acceptedIn(root)).length > 0;
  const within = isRead ? { project: root } : {};
  const files = [userServersFile()];
  const { servers, diagnostics } = await readServers({ ...within, files });
  const settings = await readServerSettings({
    ...{ ...within, user: userSettingsFile(), managed: managedSettingsFile() },
  });
  if (settings.isBroken) return { tools: [], sources: servers.map(broken), isProjectRead: isRead };
  const { maps } = settings;
  const chosen = { servers, settings: settings.settings, maps };
  const { refused } = await listedServers(root, servers);
  const reports = isConnecting ? await started(root, chosen) : undefined;
  const listing = { project, settings, reports, refused };
  const listed = await Promise.all(servers.map((entry) => ofServer(entry, listing)));
  const ignored = diagnostics.flatMap(
    ({ subject: name, file, message: why, hint }): readonly ClosedSource[] => {
      const origin = originOf(defined({ name, file }));
      return name === undefined ? [] : [{ name, origin, state: "off", why, ...defined({ fix: hint }) }];
    },
  );
  return {
    tools: listed.flatMap(({ tools }) => tools),
    sources: [...listed.flatMap(({ sources }) => sources), ...ignored, ...(await ofClients(servers))],
    isProjectRead: isRead,
  };
}

async function started(
  project: string,
  chosen: Omit<ChosenServers, "diagnostics">,
): Promise<ReadonlyMap<string, ServerReport>> {
  const sources = { project, chosen: { ...chosen, diagnostics: [] }, patienceMs: PATIENCE_MS };
  const reports = await withSource(sources, async (source) => source.servers);
  return new Map(reports.map((report) => [report.entry.name, report]));
}

async function ofServer(entry: ServerEntry, listing: Listing): Promise<Listed> {
  const { project, reports } = listing;
  const origin = originOf(entry);
  const closed = (state: ClosedSource["state"], why: string, fix?: string): Listed => ({
    tools: [],
    sources: [{ name: entry.name, origin, state, why, ...defined({ fix }) }],
  });
  const refusal = listing.refused.get(entry.name);
  if (refusal !== undefined) return closed("off", refusal);
  const record = await acceptedServers().get(entry.isOfProject ? project.root : "", entry.name);
  const isSame = record?.fingerprint === serverFingerprint(entry);
  const accept = `Run \`toolkeep servers accept ${entry.name}\`.`;
  if (entry.isOfProject && record === undefined)
    return closed("off", "You have not accepted this server.", accept);
  if (entry.isOfProject && !isSame)
    return closed("off", "It is started in a different way than the one that you accepted.", accept);
  const missing = missingProgram(entry, project.root);
  if (missing !== undefined)
    return closed("off", missing, `Install it, or change \`command\` in ${entry.file ?? "its file"}.`);
  const report = reports?.get(entry.name);
  if (report !== undefined && report.status.state !== "ready") {
    const reason = "reason" in report.status ? report.status.reason : undefined;
    return closed("off", reason ?? `It is ${report.status.state}.`, "Run `toolkeep servers`.");
  }
  // A long name is remembered by its hash alone.
  const names = isSame ? Object.keys(record?.tools ?? {}).filter((one) => !one.startsWith("sha256:")) : [];
  if (names.length === 0 && report === undefined)
    return closed(
      "unknown",
      "Its tools are known once it has been started.",
      "Run `toolkeep tools --connect`.",
    );
  const offered = report === undefined ? undefined : new Set(report.tools);
  const own = { ...listing, entry, mapped: await mappedTools(entry, listing.settings) };
  const tools = names
    .filter((tool) => offered === undefined || offered.has(prefixedName({ server: entry.name, tool })))
    .map((tool) => listedTool(tool, own));
  return { tools: [...tools, ...inReview(report, own)], sources: [] };
}

function listedTool(
  tool: string,
  { project, settings, entry, mapped }: ServerListing,
  why?: Off,
): ListedTool {
  const address = { server: entry.name, tool };
  const name = prefixedName(address);
  const names = [name, `mcp:${entry.name}:${tool}`];
  const own = settingsFor(entry, settings.settings);
  const known = Object.hasOwn(mapped, tool) ? mapped[tool] : undefined;
  const { requires } = serverToolGovernance(address, known, own.files);
  const all = capabilitiesOf(requires);
  // With other effects, the call of the server follows from them.
  const others = (requires.capabilities ?? []).filter((one) => one !== "mcp.call");
  const isMapped = all.length > 1;
  const decision = decisionOnTool(
    { names, capabilities: isMapped ? all.filter((one) => one !== "mcp.call") : all, isUngated: false },
    project.policy.rules,
  );
  return {
    name,
    origin: { ...originOf(entry), tool },
    effects: effectsInWords(isMapped ? { ...requires, capabilities: others } : requires),
    decision,
    ...(why === undefined ? offOf(names, decision, project) : { off: why }),
    shadows: [],
  };
}

async function mappedTools(entry: ServerEntry, { settings, maps }: ReadSettings): Promise<MappedTools> {
  try {
    return (await mapFor({ entry, settings: settingsFor(entry, settings), maps }))?.tools ?? {};
  } catch (error) {
    // Settings that name an unknown map: every call asks.
    if (ToolkeepError.isInstance(error)) return {};
    throw error;
  }
}

/** Tools of a started server that are not registered. */
function inReview(report: ServerReport | undefined, listing: ServerListing): readonly ListedTool[] {
  return (report?.inReview ?? []).map(({ tool, why, reasons }) =>
    listedTool(tool, listing, {
      why: `It awaits review (${why}): ${reasons.join("; ")}.`,
      ...(why === "refused" ? {} : { fix: `Run \`toolkeep servers accept ${listing.entry.name} ${tool}\`.` }),
    }),
  );
}

/** A program that is not there. What a shell would expand is not looked for. */
function missingProgram(entry: ServerEntry, root: string): string | undefined {
  if (entry.kind !== "stdio" || entry.command.includes("${")) return undefined;
  const { command } = entry;
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const paths = command.includes("/")
    ? [resolve(entry.cwd ?? root, command)]
    : folders.map((one) => join(one, command));
  if (paths.some(isProgram)) return undefined;
  return `The program ${JSON.stringify(command)} is not installed.`;
}

/** Servers that clients of the user start by themselves, in all projects. */
async function ofClients(servers: readonly ServerEntry[]): Promise<readonly ClosedSource[]> {
  const own = userServersFile();
  const read = await readServers({ home: homedir() });
  return read.servers
    .filter(({ name, file }) => file !== own && !servers.some((one) => one.name === name))
    .map((entry) => ({
      name: entry.name,
      origin: originOf(entry),
      state: "off",
      why: `It is not behind the gateway: a client starts it from ${entry.file}, and its hook decides about its calls.`,
      fix: `Name it in ${own} to have it in every gateway.`,
    }));
}

function broken(entry: ServerEntry): ClosedSource {
  const why = "The settings of servers are invalid, so no server is started.";
  return { name: entry.name, origin: originOf(entry), state: "off", why, fix: "Run `toolkeep servers`." };
}

function originOf({ name, file, isOfProject }: Partial<ServerEntry>): ToolOrigin {
  return {
    layer: isOfProject === false ? "user" : "project",
    source: "mcp",
    ...defined({ file, server: name }),
  };
}
