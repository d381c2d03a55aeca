import { basename, resolve } from "node:path";
import { isWithin, joinCommand, splitCommand } from "@toolkeep/core/internal";
import type { IsolationLevel } from "@toolkeep/core/ports";
import type { HookCall, HookClientName, HookVerdict } from "../../../clients/hook-call.ts";
import { INSTALL_CLIENTS } from "../../../clients/install-client.ts";
import { InstallRecords } from "../../../clients/installed/install-record.ts";
import { isContaining } from "../../../project/contain/contained-projects.ts";
import type { SeenCommand } from "../../../project/contain/seen-commands.ts";
import { isStateMoved } from "../../../project/moved-state.ts";
import type { Project } from "../../../project/read-project.ts";
import type { ConfinedContext, Confinement } from "./confined-verdict.ts";
import { hasDropped, isTestCall } from "./dropped-answers.ts";

/**
 * The decision about a command that the user chose to have confined. `undefined`: it is decided as without confinement.
 * The code is loaded on demand, because most hooks are not about commands.
 */
export async function confined(
  call: HookCall,
  context: Omit<ConfinedContext, "confinement">,
): Promise<HookVerdict | undefined> {
  if (call.replaceable === undefined) return undefined;
  const confinement = await confinementOf(context.client, context.project);
  if (confinement === undefined || (await isAsking(call, context))) return undefined;
  const { confines, contains } = confinement;
  const { confinedVerdict } = await import("./confined-verdict.ts");
  const contained = contains ? await confinedVerdict(call, { ...context, confinement }) : undefined;
  if (contained !== undefined || !confines) return contained;
  return confinedVerdict(call, { ...context, confinement: { ...confinement, contains: false } });
}

/** What a command did when it ran contained, if its next call asks about it instead of being contained again. */
export async function seenInPlace(
  call: HookCall,
  context: Pick<ConfinedContext, "client" | "project">,
): Promise<SeenCommand | undefined> {
  if (call.replaceable === undefined || call.isRepeated === true) return undefined;
  const confinement = await confinementOf(context.client, context.project);
  if (confinement?.contains !== true) return undefined;
  const { seenBefore } = await import("./confined-verdict.ts");
  return seenBefore(call, context);
}

/** Whether a command that would be confined asks instead, because the client dropped an answer before. */
export async function isAsking(
  call: HookCall,
  { client, project }: Pick<ConfinedContext, "client" | "project">,
): Promise<boolean> {
  if (call.replaceable === undefined || isTestCall(call) || !(await hasDropped(client))) return false;
  return (await confinementOf(client, project)) !== undefined;
}

/** `cd` as a replaced command begins with it. */
const MOVED = /^cd (?:'[^']*'|[\w./@%+=:,-]+) && /;

/** Whether a hook put a command in the place of another, which was decided then. Without its ticket it runs nothing. */
export async function isReplaced(
  { calls }: HookCall,
  { client, project }: Pick<ConfinedContext, "client" | "project">,
): Promise<boolean> {
  const { command } = calls[0]?.arguments ?? {};
  const line = typeof command === "string" ? command.replace(MOVED, "") : "";
  if (!line.includes(" exec --ticket ")) return false;
  const confinement = await confinementOf(client, project);
  const [token = "", , original = ""] = splitCommand(line).slice(-3);
  const { own = [] } = confinement ?? {};
  return own.length > 0 && line === joinCommand([...own, "exec", "--ticket", token, "--", original]);
}

/**
 * The isolation in which versions that are written to a `package.json` of the project are installed: that of commands,
 * where these are confined. Empty for every other call.
 */
export async function installsInSandbox(
  { calls, remote, cwd, ...call }: HookCall,
  context: Omit<ConfinedContext, "confinement" | "sessionId" | "callId">,
): Promise<{ readonly isolation?: IsolationLevel }> {
  const { client, project } = context;
  const isManifest = calls.every(({ tool, arguments: { path } }) => {
    if ((tool !== "edit" && tool !== "write") || typeof path !== "string") return false;
    return basename(path) === "package.json" && isWithin(resolve(cwd, path), project.root);
  });
  if (remote !== undefined || calls.length === 0 || !isManifest) return {};
  const confinement = await confinementOf(client, project);
  if (confinement?.confines !== true || call.isKept?.() === true) return {};
  const { isConfinedHere } = await import("./confined-verdict.ts");
  return (await isConfinedHere({ ...context, confinement })) ? { isolation: "files-and-network" } : {};
}

/** What the user chose for a client, or for another one of the project if it is not installed itself. */
async function confinementOf(client: HookClientName, project: Project): Promise<Confinement | undefined> {
  if (isStateMoved(project)) return undefined;
  const records = new InstallRecords(project.root);
  const own = INSTALL_CLIENTS.filter((one) => one === client);
  for (const name of own.length === 0 ? INSTALL_CLIENTS : own) {
    const record = await records.read(name).catch(() => undefined);
    if (record?.state !== "done") continue;
    const confines = record.confines === true;
    const contains = await isContaining(project);
    if (confines || contains) return { own: record.own, confines, contains };
  }
  return undefined;
}
