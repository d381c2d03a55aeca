import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, posix, resolve } from "node:path";
import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import { createRegistry, type SessionStore } from "@toolkeep/core";
import { isLoopbackAddress, isWithin, joinCommand } from "@toolkeep/core/internal";
import type { SimpleCommand } from "@toolkeep/core/ports";
import { canonicalPath, parseCommand, sandboxedDecisions } from "@toolkeep/node/internal";
import { claudeEntries } from "../../../clients/claude-settings.ts";
import {
  delegationTo,
  type Environment,
  type HookCall,
  type HookClientName,
  type HookVerdict,
} from "../../../clients/hook-call.ts";
import type { OwnCommand } from "../../../clients/hook-line.ts";
import type { Project } from "../../../project/read-project.ts";
import { type HookStores, ONE_HOOK } from "../conversation/hook-stores.ts";
import { openConversation } from "../conversation/open-conversation.ts";
import { confinedDryRunTool } from "../dry-run/dry-run-tools.ts";
import { clientEntries } from "../verdict/claude-permissions.ts";
import { effectLines } from "./effect-lines.ts";
import { IN_BACKGROUND, OF_MACHINE, REMOTE_GIT, REQUESTING, RUNNERS, SERVING } from "./machine-programs.ts";
import { policyFingerprint } from "./policy-fingerprint.ts";
import { worksHere } from "./sandbox-proof.ts";
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
  const part = await confinableLine(line.command, { cwd: line.folder, roots, keepsFolder });
  if (part === undefined || (await isKeptByClient(call, context)) || !(await worksHere(project.root)))
    return undefined;
  const token = await ticketFor(part, context);
  if (token === undefined) return undefined;
  const args = ["exec", "--ticket", token, "--", part.command];
  const run = `${startOf(confinement.own, replaceable.byName)} ${joinCommand(args)}`;
  return {
    action: "allow",
    reason: "The policy allows this command in the sandbox.",
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

/** The ticket of a command that is allowed in the sandbox; `undefined` if it is not. */
async function ticketFor(part: ConfinableLine, context: ConfinedContext): Promise<string | undefined> {
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
  { command, cwd }: ConfinableLine,
  { client, project, sessionId, callId, environment = {} }: ConfinedContext,
): Promise<string | undefined> {
  const conversation = environment[CONVERSATION];
  const { root, config } = project;
  const registry = createRegistry();
  registry.register(confinedDryRunTool());
  const asked: unknown[] = [];
  const session = await openConversation(store, {
    ...{ sessionId, registry, project, by: delegationTo(client) },
    confined: await sandboxedDecisions({
      roots: [root, ...config.roots],
      adHoc: config.files,
      catalog: config.catalog,
    }),
    asked: (request) => void asked.push(request),
  });
  try {
    const args = cwd === root ? { command } : { command, workdir: cwd };
    const call = { id: callId, name: "bash", arguments: args };
    const { explanation } = await session.explain(call);
    if (explanation?.decision.action !== "allow") return undefined;
    const { ok } = await session.call(call);
    if (!ok || asked.length > 0) return undefined;
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
      ...(conversation === undefined ? {} : { conversation }),
    });
  } finally {
    await session.close();
  }
}

/** That the user chose to have commands confined, and how the program is started for them. */
export interface Confinement {
  readonly own: OwnCommand;
}

/** A command line that can run in the sandbox, and where. */
interface ConfinableLine {
  readonly command: string;
  /** Canonical. */
  readonly cwd: string;
  /** What the client's own shell does before, so that the next command starts there. */
  readonly before: string;
}

interface LineOptions {
  /** The client's working directory. */
  readonly cwd: string;
  /** The canonical folders of the workspace. */
  readonly roots: readonly string[];
  /** Whether the next command starts in the directory in which this one ends. */
  readonly keepsFolder: boolean;
}

const MOST_BYTES = 100_000;
/** `cd` with a path that no shell changes, before the rest of the line. */
const LEADING_CD =
  /^\s*cd\s+(?:--\s+)?([\w./@+][\w./@+-]*|'[^'\\\n]+'|"[^"$`\\!\n]+")\s*(?:&&|;|\n)\s*(\S.*)$/s;
const ONLY_ENDS = /^[&|;)]/;
const MOVING = wordsIn(PROGRAM_KINDS.moving);

/**
 * The part of a line that can run in the sandbox. `undefined` for one that needs the machine itself, that leaves
 * something running, whose files others have to find, or that ends in another directory.
 */
async function confinableLine(line: string, options: LineOptions): Promise<ConfinableLine | undefined> {
  const isText = line.isWellFormed() && !line.includes("\0") && line.trim() !== "";
  if (!isText || Buffer.byteLength(line) > MOST_BYTES || sharesFiles(line, options.roots)) return undefined;
  const parts = options.keepsFolder ? await movedLine(line, options) : undefined;
  const part = parts ?? { command: line, cwd: await canonicalPath(options.cwd), before: "" };
  if (!options.roots.some((root) => isWithin(part.cwd, root))) return undefined;
  const parsed = await parseCommand(part.command, { home: homedir(), folder: part.cwd }).catch(
    () => undefined,
  );
  if (parsed === undefined || needsMachine(part.command, parsed.commands ?? [])) return undefined;
  const moves = (parsed.commands ?? []).some(({ argv }) => MOVING.has(argv[0] ?? ""));
  return options.keepsFolder && moves ? undefined : part;
}

/** The client changes the directory itself, and the rest runs in it. */
async function movedLine(line: string, { cwd }: LineOptions): Promise<ConfinableLine | undefined> {
  const [, word = "", command = ""] = LEADING_CD.exec(line) ?? [];
  if (word === "" || ONLY_ENDS.test(command)) return undefined;
  const path = word.replace(/^(['"])(.*)\1$/s, "$2");
  const folder = await canonicalPath(isAbsolute(path) ? path : join(cwd, path)).catch(() => undefined);
  return folder === undefined ? undefined : { command, cwd: folder, before: `cd ${joinCommand([path])} && ` };
}

/** The sandbox has temporary files of its own, which the client and its user do not see. */
function sharesFiles(line: string, roots: readonly string[]): boolean {
  const others = roots.reduce((text, root) => text.replaceAll(root, ""), line);
  return /(?:^|[^\w.-])(?:\/var)?\/tmp(?:\/|\b)|\bTMPDIR\b|\bmktemp\b/.test(others);
}

/** Whether a command line needs more of the machine than a sandbox gives, whatever is allowed to it. */
function needsMachine(line: string, commands: readonly SimpleCommand[]): boolean {
  return IN_BACKGROUND.test(line) || commands.some(({ argv }) => isOfMachine(argv));
}

function isOfMachine([program = "", ...args]: readonly string[]): boolean {
  const name = posix.basename(program);
  if (OF_MACHINE.has(name)) return !(args.length === 1 && /^(?:-v|--version)$/.test(args[0] ?? ""));
  if (name === "git") return args.some((arg) => REMOTE_GIT.has(arg));
  // The machine's own servers cannot be reached from a sandbox.
  if (REQUESTING.has(name)) return args.some((arg) => isLoopbackAddress(arg.replace(/^--?[\w-]+=/, "")));
  return RUNNERS.has(name) && args.some((arg) => SERVING.test(arg));
}
