import { homedir } from "node:os";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import { createRegistry, type SessionStore } from "@toolkeep/core";
import { defined, joinCommand, sessionMarks } from "@toolkeep/core/internal";
import {
  canonicalPath,
  containFolder,
  decidedBefore,
  grantedTo,
  isContainable,
  namedElsewhere,
  parseCommand,
  reachOf,
  sandboxedDecisions,
} from "@toolkeep/node/internal";
import { claudeEntries } from "../../../clients/claude-settings.ts";
import {
  delegationTo,
  type Environment,
  type HookCall,
  type HookClientName,
  type HookVerdict,
} from "../../../clients/hook-call.ts";
import type { OwnCommand } from "../../../clients/hook-line.ts";
import { type SeenCommand, seenCommand } from "../../../project/contain/seen-commands.ts";
import { standingGrants } from "../../../project/contain/standing-grants.ts";
import type { Project } from "../../../project/read-project.ts";
import { type HookStores, ONE_HOOK } from "../conversation/hook-stores.ts";
import { openConversation } from "../conversation/open-conversation.ts";
import { confinedDryRunTool, dryRunTools } from "../dry-run/dry-run-tools.ts";
import { clientEntries } from "../verdict/claude-permissions.ts";
import { type ConfinableLine, confinableLine, placedLine } from "./confinable-line.ts";
import { effectLines } from "./effect-lines.ts";
import { OF_PROCESSES } from "./machine-programs.ts";
import { isPassed } from "./passed-variables.ts";
import { policyFingerprint } from "./policy-fingerprint.ts";
import { sandboxForLooks, worksHere } from "./sandbox-proof.ts";
import { CONVERSATION, issueTicket, TicketError } from "./ticket.ts";

export interface ConfinedContext {
  readonly confinement: Confinement;
  readonly client: HookClientName;
  readonly project: Project;
  readonly sessionId: string;
  readonly callId: string;
  /** The environment of the client. */
  readonly environment?: Environment | undefined;
  /** Default: the store is opened for this decision. */
  readonly stores?: HookStores | undefined;
}

/**
 * Decides about a command as if it ran in the sandbox. If the policy allows that, the answer replaces the command by
 * one that runs it there. `undefined`: the command is decided as without confinement, which is also what a command that
 * must leave the sandbox gets: if it asks and the user agrees, the client runs it itself.
 */
export async function confinedVerdict(
  call: HookCall,
  context: ConfinedContext,
): Promise<HookVerdict | undefined> {
  const { replaceable } = call;
  const { confinement, project } = context;
  const line = commandOf(call);
  if (replaceable === undefined || line === undefined) return undefined;
  const { keepsFolder } = replaceable;
  const roots = await Promise.all([project.root, ...project.config.roots].map((one) => canonicalPath(one)));
  const { contains } = confinement;
  const confinable = await confinableLine(line.command, {
    cwd: line.folder,
    roots,
    keepsFolder,
    isInPlace: contains,
  });
  if (confinable === undefined || (await isKeptByClient(call, context)) || !(await worksHere(project.root)))
    return undefined;
  const isLeft = replaceable.input["run_in_background"] === true;
  const part = { ...confinable, isServer: isLeft || startsServer(confinable.command) };
  if (contains && (await staysOutside(part, { ...context, roots }))) return undefined;
  const token = await ticketFor(part, { ...context, roots });
  if (token === undefined) return undefined;
  const args = ["exec", "--ticket", token, "--", part.command];
  const run = `${startOf(confinement.own, replaceable.byName)} ${joinCommand(args)}`;
  return {
    action: "allow",
    reason: contains
      ? "The command runs contained: what it changes is decided about afterwards."
      : "The policy allows this command in the sandbox.",
    input: { ...replaceable.input, command: `${part.before}${run}` },
  };
}

/** How a line starts this program. By its name, it is the first one that the line itself lets the shell find. */
function startOf(own: OwnCommand, byName = false): string {
  const [program, ...more] = own;
  const folder = dirname(program);
  if (!byName || more.length > 0 || !isAbsolute(program) || folder.includes(":")) return joinCommand(own);
  return `PATH=${joinCommand([folder])}:"$PATH" ${joinCommand([basename(program)])}`;
}

/** What the same command did when it ran contained, if its next call is to be asked about. */
export async function seenBefore(
  call: HookCall,
  { project }: Pick<ConfinedContext, "project">,
): Promise<SeenCommand | undefined> {
  const line = commandOf(call);
  if (call.replaceable === undefined || line === undefined) return undefined;
  const { keepsFolder } = call.replaceable;
  return seenCommand(project.root, await placedLine(line.command, { cwd: line.folder, keepsFolder }));
}

/** The one command line of a call, and the directory that the client runs it in. */
function commandOf({ calls, remote, cwd }: HookCall) {
  const [only] = calls;
  if (remote !== undefined || calls.length !== 1 || only?.tool !== "bash") return undefined;
  const { command, workdir } = only.arguments;
  if (typeof command !== "string") return undefined;
  if (workdir === undefined) return { command, folder: cwd };
  if (typeof workdir !== "string" || workdir.startsWith("~")) return undefined;
  return { command, folder: resolve(cwd, workdir) };
}

/**
 * The client would evaluate its own entries on the replaced text: what they deny or ask is left to it. So is everything
 * where its own sandbox is on.
 */
async function isKeptByClient(call: HookCall, context: ConfinedContext): Promise<boolean> {
  if (call.isKept?.() === true) return true;
  if (context.client !== "claude-code") return false;
  const settings = settingsOf(context);
  if ((await claudeEntries(settings)).hasSandbox) return true;
  const { action } = await clientEntries(call, settings);
  return action === "deny" || action === "ask";
}

function settingsOf({ project, environment }: Pick<ConfinedContext, "project" | "environment">) {
  const { root, isTrusted } = project;
  return { root, isTrusted, ...(environment === undefined ? {} : { environment }) };
}

/** Whether commands of the client run in our sandbox here. */
export async function isConfinedHere(
  context: Omit<ConfinedContext, "sessionId" | "callId">,
): Promise<boolean> {
  if (context.client === "claude-code" && (await claudeEntries(settingsOf(context))).hasSandbox) return false;
  return worksHere(context.project.root);
}

interface PlacedLine extends ConfinableLine {
  /** Whether a process of it stays while other commands run. */
  readonly isServer: boolean;
}

interface TicketContext extends ConfinedContext {
  /** The canonical folders of the workspace. */
  readonly roots: readonly string[];
}

/** The ticket of a command that is allowed in the sandbox; `undefined` if it is not. */
async function ticketFor(part: PlacedLine, context: TicketContext): Promise<string | undefined> {
  const { project, stores = ONE_HOOK } = context;
  try {
    return await stores.use(project.storeFolder, (store) => ticketIn(store, part, context));
  } catch (error) {
    if (error instanceof TicketError) return undefined;
    throw error;
  }
}

async function ticketIn(
  store: SessionStore,
  { command, cwd, isServer }: PlacedLine,
  { client, project, sessionId, callId, environment = {}, confinement, roots }: TicketContext,
): Promise<string | undefined> {
  const conversation = environment[CONVERSATION];
  const { root, config } = project;
  const { contains } = confinement;
  const registry = createRegistry();
  let isContained = false;
  registry.register(confinedDryRunTool((effects) => (isContained ? decidedBefore(effects) : effects)));
  const asked: unknown[] = [];
  const session = await openConversation(store, {
    ...{ sessionId, registry, project, by: delegationTo(client) },
    confined: await sandboxedDecisions({
      sandbox: sandboxForLooks(),
      roots: [root, ...config.roots],
      adHoc: config.files,
      catalog: config.catalog,
    }),
    asked(request) {
      asked.push(request);
      return contains ? "containment" : undefined;
    },
  });
  try {
    const args = cwd === root ? { command } : { command, workdir: cwd };
    const call = { id: callId, name: "bash", arguments: args };
    const { explanation } = await session.explain(call);
    if (explanation === undefined) return undefined;
    const isFree = explanation.decision.action === "allow";
    // A process that stays would keep what it may reach, and a request could carry private data.
    const isWithout = !contains || isServer || sessionMarks(session).has("private");
    const grants = isWithout ? [] : await standingGrants(root);
    const granted = grantedTo(explanation.effects, grants);
    const isGrantable = contains && reachOf(explanation.effects) !== undefined ? true : undefined;
    if (contains ? !isContainable(explanation, roots, granted) : !isFree) return undefined;
    isContained = contains;
    const { ok } = await session.call(call);
    if (!ok || (asked.length > 0 && !contains)) return undefined;
    return await issueTicket({
      ...{
        command,
        cwd,
        project: root,
        source: project.source,
        policy: policyFingerprint(project),
        sessionId,
        callId,
      },
      effects: effectLines(explanation.effects),
      // A server follows the files of the project, and they follow it: what the policy allows anyway writes to them.
      ...(contains ? { contained: isFree && isServer ? "through" : "layer" } : {}),
      ...defined({ granted, isGrantable, conversation }),
    });
  } finally {
    await session.close();
  }
}

/** That the user chose to have commands confined, and how the program is started for them. */
export interface Confinement {
  readonly own: OwnCommand;
  /** Whether commands that the policy allows there run in the sandbox. */
  readonly confines: boolean;
  /** Whether commands that no rule knows run contained. */
  readonly contains: boolean;
}

/** Whether a command runs as it always did, or asks: containment would show it less, or is not needed. */
async function staysOutside(part: PlacedLine, context: TicketContext): Promise<boolean> {
  const { project, roots, environment = {} } = context;
  const naming = { folder: containFolder(), project: project.root, home: homedir(), roots };
  const where = namedElsewhere(part.command, naming);
  if (where !== undefined) return where === "machine";
  return namesHidden(part.command, environment) || passesAnyway(part, context);
}

/** Whether a line names a variable of the client that no contained command is given. */
function namesHidden(line: string, environment: Environment): boolean {
  return [...line.matchAll(/\$\{?([A-Za-z_]\w*)/g)].some(
    ([, name = ""]) => environment[name] !== undefined && !isPassed(name, environment[name]),
  );
}

/** Whether a command is allowed without containment, and needs no process that contained commands left. */
async function passesAnyway(
  { command, cwd, isServer }: PlacedLine,
  { project, sessionId, stores = ONE_HOOK }: TicketContext,
): Promise<boolean> {
  if (isServer) return false;
  const parsed = await parseCommand(command, { home: homedir(), folder: cwd }).catch(() => undefined);
  const programs = (parsed?.commands ?? []).map(({ argv }) => basename(argv[0] ?? ""));
  if (programs.some((name) => OF_PROCESSES.has(name))) return false;
  const registry = createRegistry();
  for (const tool of dryRunTools()) registry.register(tool);
  return stores.use(project.storeFolder, async (store) => {
    const session = await openConversation(store, { sessionId, registry, project, by: "toolkeep" });
    try {
      const args = cwd === project.root ? { command } : { command, workdir: cwd };
      const { explanation } = await session.explain({ id: "bare", name: "bash", arguments: args });
      return explanation?.decision.action === "allow";
    } finally {
      await session.close();
    }
  });
}

const QUOTED = /'[^']*'|"(?:[^"\\]|\\.)*"/gs;

/** Whether a line leaves something running: a single `&` that is no part of another sign. */
function startsServer(line: string): boolean {
  return /(?<![&>|<\\])&(?![&>])/.test(line.replaceAll(QUOTED, "''"));
}
