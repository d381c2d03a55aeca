import { readFileSync } from "node:fs";
import type { ToolResult } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import type { ExplainedStep, Explanation } from "@toolkeep/core/policy";
import { gitStates } from "@toolkeep/node/internal";
import { type ClaudeProject, settingsFiles } from "../../../clients/claude-settings.ts";
import type { Environment, HookCall, HookClientName, HookVerdict } from "../../../clients/hook-call.ts";
import { isFields } from "../../../clients/payload.ts";
import { protectedBy } from "../../../project/pause/protected-asks.ts";
import type { Project } from "../../../project/read-project.ts";
import { type AnswerContext, isAllowedByUser, isLeft, milderForm } from "./answer-in-mode.ts";
import { clientEntries } from "./claude-permissions.ts";
import { questionOf } from "./hook-question.ts";
import type { EvaluatedCall, ExplainedCall } from "./refused-calls.ts";

/** A call that was decided and recorded. */
export interface DecidedCall extends ExplainedCall {
  readonly result: ToolResult;
  /** The question for the client's user, if it asks. */
  readonly asked: string | undefined;
}

/** What the answer depends on besides the decision, of one hook. */
interface VerdictContext extends AnswerContext, Asker {
  readonly call: HookCall;
}

interface Asker {
  readonly client: HookClientName;
  readonly project: Project;
  /** The environment of the client. */
  readonly environment?: Environment;
}

/** The client's own entries matter where no rule asks, and where a rule of the user's allows. */
export async function answerContext(
  call: HookCall,
  explained: readonly ExplainedCall[],
  { client, project, environment = process.env }: Asker,
): Promise<VerdictContext> {
  const isOpen = explained.some((one) => one.explained !== undefined && mayDependOnEntries(one.explained));
  const entry = isOpen ? await entryFor(call, { client, project, environment }) : "none";
  return { call, client, project, environment, entry, isTrusted: project.isTrusted };
}

function mayDependOnEntries(explained: Explanation): boolean {
  const { action, askedBy = [] } = explained.decision;
  if (action === "allow") return isAllowedByUser(explained);
  return action === "ask" && askedBy.every((asker) => asker === "rules");
}

async function entryFor(call: HookCall, asker: Asker): Promise<AnswerContext["entry"]> {
  return asker.client === "claude-code" ? (await clientEntries(call, settingsOf(asker))).action : "none";
}

function settingsOf({ project: { root, isTrusted }, environment = process.env }: Asker): ClaudeProject {
  return { root, isTrusted, environment };
}

/** A tool behind our gateway, which decides and asks: the client need not ask as well. */
export async function behindGateway(call: HookCall, asker: Asker): Promise<HookVerdict> {
  const reason = "The gateway decides about this tool.";
  const entry = await entryFor(call, asker);
  const isFree = !call.clientMode.isReadOnly && (entry === "none" || entry === "allow");
  return { action: isFree ? "allow" : "none", reason };
}

/** Why a call that asks is refused instead: it has a milder form, the client cannot ask, or no person would answer. */
export function refusingIn(context: VerdictContext) {
  return {
    milderForm: (one: EvaluatedCall, explained: Explanation) => milderForm(one, explained, context),
    refusal: (one: EvaluatedCall, explained: Explanation) => refusalOf(one, explained, context),
  };
}

function refusalOf(one: EvaluatedCall, explained: Explanation, context: VerdictContext): string | undefined {
  const { call, project } = context;
  if (isLeft(one, explained, context)) return undefined;
  if (!call.canAsk && isRecoverable(one, explained, project.root)) return undefined;
  const why = whyNotAsked(explained, context);
  return why === undefined
    ? undefined
    : `This call needs approval, and ${why}: ${questionOf(explained, project, "agent")}`;
}

function whyNotAsked(
  explained: Explanation,
  { call: { canAsk, clientMode }, ...asker }: VerdictContext,
): string | undefined {
  if (!canAsk) return "the client cannot ask here";
  if (clientMode.refusesAsks) return `the mode ${clientMode.name} asks no user`;
  const protects = protectedBy(explained);
  if (protects === undefined) return undefined;
  const about = protects === "toolkeep" ? "Toolkeep itself" : protects;
  if (!clientMode.hasPerson)
    return `in the mode ${clientMode.name} a question about ${about} may reach no user`;
  const isAnswered = asker.client === "claude-code" && hasOtherApprover(settingsOf(asker));
  return isAnswered ? `another program may answer a question about ${about} by a hook` : undefined;
}

/** The strictest result of all dry-run calls applies. */
export function verdictOf(decided: readonly DecidedCall[], context: VerdictContext): HookVerdict {
  const refused = decided.find(({ result }) => !result.ok)?.result.failure;
  if (refused !== undefined) {
    const hint = refused.hint === undefined ? "" : ` ${refused.hint}`;
    return { action: "deny", decided: "deny", reason: `${refused.message}${hint}` };
  }
  const { canAsk, clientMode } = context.call;
  const asks = decided.flatMap(({ call, explained, asked }) =>
    asked === undefined ? [] : [{ call, explained, asked }],
  );
  const [first] = asks;
  if (first === undefined) return allowedVerdict(decided, context);
  const own = asks.find(
    ({ call, explained }) => explained === undefined || !isLeft(call, explained, context),
  );
  if (own === undefined) return { action: "none", decided: "ask", reason: first.asked };
  if (canAsk) return { action: "ask", decided: "ask", reason: own.asked };
  // What cannot be asked and cannot be undone was refused before.
  const reason = "Git has this file as it is.";
  return { action: clientMode.canLeave ? "none" : "allow", decided: "ask", reason };
}

function allowedVerdict(decided: readonly DecidedCall[], { call, entry }: VerdictContext): HookVerdict {
  const { canLeave, isReadOnly } = call.clientMode;
  const isOfUser = decided.every(({ explained }) => explained !== undefined && isAllowedByUser(explained));
  const isFree = isOfUser && !isReadOnly && (entry === "none" || entry === "allow");
  const reason = "The policy allows this call.";
  return { action: isFree || !canLeave ? "allow" : "none", decided: "allow", reason };
}

/** The client is about to ask about a call that another hook may have changed: only a denial is an answer. */
export function repeatedVerdict(explained: readonly ExplainedCall[], project: Project): HookVerdict {
  const denied = explained.find(({ explained: one }) => {
    // The client's user is not who must sign it.
    return one?.decision.action === "deny" || one?.decision.needs !== undefined;
  })?.explained;
  if (denied === undefined) return { action: "none", reason: "The client asks its user." };
  return { action: "deny", decided: "deny", reason: questionOf(denied, project, "agent") };
}

/**
 * Whether a program other than this one answers the questions of Claude Code by a hook of its own. Its `allow` counts
 * as the answer of the user. A file that cannot be read may name one.
 */
function hasOtherApprover(project: ClaudeProject): boolean {
  return settingsFiles(project).some(({ file }) => {
    try {
      const settings: unknown = JSON.parse(readFileSync(file, "utf8"));
      return isFields(settings) && commandsIn(settings["hooks"]).some((command) => !OWN.test(command));
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== "ENOENT";
    }
  });
}

const OWN = /\bhook claude-code(?: \|\| exit 2)?$/;

/** The commands of the event; an empty text for a hook of another kind. */
function commandsIn(hooks: unknown): readonly string[] {
  const groups = isFields(hooks) ? hooks["PermissionRequest"] : undefined;
  if (!Array.isArray(groups)) return [];
  return groups
    .filter(isFields)
    .flatMap(({ hooks: list }) =>
      (Array.isArray(list) ? list : []).map((hook: unknown) =>
        isFields(hook) && typeof hook["command"] === "string" ? hook["command"] : "",
      ),
    );
}

const RECOMMENDED = "toolkeep:recommended";

/**
 * Whether a client that cannot ask may let a call pass that asks, because git can undo it and no program runs what
 * changes: an edit of a `package.json` that leaves its scripts alone, and the removal of a file that a patch moves. Git
 * must have the file of the project exactly as it is. Every other file that commands follow is refused there, as it asks
 * elsewhere: another conversation would run it unasked.
 */
function isRecoverable(
  { tool, arguments: { isMoved } }: EvaluatedCall,
  { decision, steps, effects }: Explanation,
  root: string,
): boolean {
  const { askedBy = [], neverRemember } = decision;
  if (neverRemember === true || askedBy.some((asker) => asker !== "rules")) return false;
  const objections = steps.filter(({ said }) => said === "ask");
  if (tool === "delete") return isMoved === true && objections.every((one) => isKeptBy(one, root));
  if (tool !== "edit" && tool !== "write") return false;
  const written = effects.filter(({ capability }) => capability === "fs.write");
  return (
    objections.every(({ effect }) => effect?.capability === "fs.write") &&
    written.every(({ target, scripts }) => {
      return target.endsWith("/package.json") && scripts?.length === 0 && isRecorded(target, root);
    })
  );
}

/** The rule that asks about every deletion. */
function isKeptBy({ at, effect }: ExplainedStep, root: string): boolean {
  return at === RECOMMENDED && effect?.capability === "fs.delete" && isRecorded(effect.target, root);
}

/** Git does not know what is installed for the project. */
const INSTALLED = /\/(?:node_modules|site-packages|\.venv|venv|\.git)\//;

function isRecorded(path: string, root: string): boolean {
  if (!isWithin(path, root) || INSTALLED.test(path)) return false;
  return gitStates([path], (one) => isWithin(one, root)).get(path) === "recorded";
}
