import { createHash, randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { createRegistry, type Effect, type ToolResult } from "@toolkeep/core";
import { visible } from "@toolkeep/core/policy";
import { canonicalPath, openStore } from "@toolkeep/node";
import type { Project } from "../project/read-project.ts";
import type { HookCall, HookClientName, HookVerdict, RemoteToolCall, StandInCall } from "./hook-call.ts";
import { openConversation } from "./open-conversation.ts";
import { standIns } from "./stand-ins.ts";

/**
 * Decides what a client is about to do, in a session of the client's conversation: by the pipeline itself, with
 * its policy, its taint, its count of repetitions and its journal. Nothing is executed.
 * @throws ToolkeepError `session_in_use` where another hook of the conversation does not come to an end.
 */
export async function decideCall(
  call: HookCall,
  client: HookClientName,
  project: Project,
): Promise<HookVerdict> {
  const registry = createRegistry();
  for (const tool of standIns()) registry.register(tool);
  const remote = call.remote === undefined ? undefined : await remoteTool(call.remote, client, project);
  if (remote === "ours") return { action: "none", reason: "The gateway decides about its own tools." };
  if (remote !== undefined) registry.register(remote.tool, { origin: remote.origin });
  const store = openStore(project.storeFolder);
  try {
    const asked: string[] = [];
    const session = await openConversation(store, {
      sessionId: sessionIdOf(client, call.conversation),
      registry,
      project,
      by: `${client} asks its own person`,
      asked: ({ reason, effects }) => asked.push(`${reason} ${whatItDoes(effects)}`.trim()),
    });
    const calls =
      remote === undefined
        ? await Promise.all(call.calls.map((one) => placed(one, call.cwd, project.root)))
        : [{ tool: remote.tool.name, arguments: call.remote?.arguments ?? {} }];
    const results: ToolResult[] = [];
    for (const { tool, arguments: args } of calls)
      results.push(await session.call({ id: randomUUID(), name: tool, arguments: args }));
    await session.close();
    return verdictOf(results, asked, call);
  } finally {
    store.close();
  }
}

/** Loaded for a server's tool alone: most hooks are about the client's own. */
async function remoteTool(call: RemoteToolCall, client: HookClientName, project: Project) {
  const { remoteStandIn } = await import("./remote-stand-in.ts");
  return remoteStandIn(call, client, project.root);
}

/** Of several things that one call does, the strictest counts. */
function verdictOf(results: readonly ToolResult[], asked: readonly string[], call: HookCall): HookVerdict {
  const refused = results.find(({ ok }) => !ok)?.failure;
  if (refused !== undefined) {
    const hint = refused.hint === undefined ? "" : ` ${refused.hint}`;
    return { action: "deny", reason: `${refused.message}${hint}` };
  }
  const [reason] = asked;
  if (reason === undefined) return { action: "allow", reason: "The policy allows it." };
  if (call.canAsk) return { action: "ask", reason };
  const why = "This has to be asked, and the client cannot ask about it here";
  return { action: "deny", reason: `${why}: ${reason} To let it pass, add a rule for it to the policy.` };
}

const MOST_SHOWN = 3;
const LONGEST_SHOWN = 300;

/** For the person in the client, who may see less of the call than we do. */
function whatItDoes(effects: readonly Effect[]): string {
  const own = effects.filter(({ implied, capability }) => implied !== true && capability !== "unknown");
  const shown = own.slice(0, MOST_SHOWN).map(({ capability, target }) => `${capability} ${target}`);
  const rest = own.length > MOST_SHOWN ? `, and ${own.length - MOST_SHOWN} more` : "";
  if (shown.length === 0) return "";
  return `(${visible(shown.map((one) => one.slice(0, LONGEST_SHOWN)).join(", "))}${rest})`;
}

const PLAIN_ID = /^[\w.-]{1,100}$/;

function sessionIdOf(client: HookClientName, conversation: string): string {
  if (PLAIN_ID.test(conversation)) return `${client}.${conversation}`;
  return `${client}.${createHash("sha256").update(conversation).digest("hex")}`;
}

/** The same call with its paths from where the client is. */
async function placed(call: StandInCall, cwd: string, root: string): Promise<StandInCall> {
  const { path, workdir } = call.arguments;
  if (call.tool === "bash") {
    const folder = typeof workdir === "string" ? fromFolder(workdir, cwd) : cwd;
    const { workdir: _, ...rest } = call.arguments;
    const isAtHome = (await canonicalPath(folder)) === root;
    return isAtHome ? { ...call, arguments: rest } : { ...call, arguments: { ...rest, workdir: folder } };
  }
  if (typeof path === "string")
    return { ...call, arguments: { ...call.arguments, path: fromFolder(path, cwd) } };
  const isSearch = call.tool === "glob" || call.tool === "grep";
  return isSearch ? { ...call, arguments: { ...call.arguments, path: cwd } } : call;
}

/** Not joined by its words where it is absolute; `~` is taken as most clients take it. */
function fromFolder(path: string, folder: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? path : `${folder}/${path}`;
}
