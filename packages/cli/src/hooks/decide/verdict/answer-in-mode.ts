import { onlyReads, splitCommand, visible } from "@toolkeep/core/internal";
import type { ExplainedStep, Explanation } from "@toolkeep/core/policy";
import type { ClientMode } from "../../../clients/client-mode.ts";
import type { HookCall } from "../../../clients/hook-call.ts";
import type { ClientEntry } from "./claude-permissions.ts";
import { isMild, withoutScripts } from "./left-to-client.ts";
import { FILE_PROGRAMS, MAYBE_QUIET, QUIET_FORMS, WRAPPED } from "./quiet-programs.ts";
import type { EvaluatedCall } from "./refused-calls.ts";
import { reasonOf, type SafeForm } from "./safe-form.ts";

/** What an answer depends on besides the decision. */
export interface AnswerContext {
  readonly call: Pick<HookCall, "clientMode" | "remote">;
  readonly isTrusted: boolean;
  /** What the client's own entries say about the call. */
  readonly entry: ClientEntry["action"];
  /** Whether the conversation has looked into private data. */
  readonly isPrivate?: boolean;
}

/**
 * Whether a call that asks is left to the client, because no rule and no watchdog of ours objects, and the client asks
 * by itself, its user allowed the call there, or the objection is mild.
 */
export function isLeft(
  call: EvaluatedCall,
  { decision, steps }: Explanation,
  { call: { clientMode, remote }, isTrusted, entry, isPrivate = false }: AnswerContext,
): boolean {
  const { askedBy = [] } = decision;
  if (!clientMode.canLeave || askedBy.some((asker) => asker !== "rules")) return false;
  const objections = steps.filter(({ said }) => said === "ask");
  const isRemote = remote !== undefined;
  // What a client has learned not to ask about, it learned before: a page or a search could carry private data now.
  if (isPrivate && REQUESTS.has(call.tool)) return false;
  if (clientMode.isMildLeft && isTrusted && !isPrivate && objections.every((one) => isMild(one, call)))
    return true;
  if (objections.some(({ layer }) => layer !== "default")) return false;
  if (entry === "allow") return true;
  return isAskedByClient({ ...call, isRemote }, objections, clientMode);
}

const REQUESTS: ReadonlySet<string> = new Set(["web_fetch", "web_search"]);

/** For a call that asks: a form of it that would be left to the client. */
export function milderForm(
  call: EvaluatedCall,
  explained: Explanation,
  context: AnswerContext,
): SafeForm | undefined {
  const instead = withoutScripts(call);
  if (instead === undefined || isLeft(call, explained, context)) return undefined;
  const milder = { ...call, arguments: { ...call.arguments, command: instead } };
  if (!isLeft(milder, explained, context)) return undefined;
  const scripts = "If a package needs its scripts, `npm rebuild` with its name asks the user.";
  return {
    instead,
    reason: `${reasonOf({ call, explained })} ${scripts} This command needs no approval: ${visible(instead)}`,
  };
}

const RECOMMENDED = "toolkeep:recommended";

/**
 * Whether a rule or an answer of the user, or of the administrator, allows a call. Where the recommended rules allow
 * parts of it, these must only read: the client decides about everything else that they allow.
 */
export function isAllowedByUser({ decision, steps }: Explanation): boolean {
  if (decision.observed !== undefined) return false;
  const settled = steps.some(({ layer, said }) => said === "allow" && SETTLING.has(layer));
  if (settled) return true;
  const allowing = steps.filter(({ said }) => said === "allow");
  return allowing.some(isOfUser) && allowing.every((step) => isOfUser(step) || isReading(step));
}

/** The mode, the allow list and the earlier answers are all the user's. */
const SETTLING: ReadonlySet<string> = new Set(["mode", "allow-list", "approval"]);

function isOfUser({ layer, at }: ExplainedStep): boolean {
  return layer === "rule" && at !== RECOMMENDED;
}

function isReading({ layer, effect, matchedBy }: ExplainedStep): boolean {
  if (layer === "default") return matchedBy === "implied";
  if (effect?.capability === "fs.read" || effect?.capability === "git.read") return true;
  return effect?.capability === "shell.run" && onlyReads(splitCommand(effect.target));
}

/** Whether the client surely asks its user by itself, so that its rules, "don't ask again" and its mode apply. */
function isAskedByClient(
  { tool, arguments: { command }, isRemote }: EvaluatedCall & { readonly isRemote: boolean },
  objections: readonly ExplainedStep[],
  { asks }: Pick<ClientMode, "asks">,
): boolean {
  if (asks === "nothing") return false;
  if (isRemote || tool === "web_fetch" || tool === "web_search") return true;
  if (tool === "write" || tool === "edit" || tool === "delete") return asks === "calls";
  if (tool !== "bash") return false;
  // The client asks about a line as a whole, so one command that it asks about is enough. It may know more forms of a
  // line that hides its commands than we do.
  const isReadable =
    !WRAPPED.test(String(command)) &&
    objections.every(({ effect }) => effect?.capability !== "shell.dynamic");
  // A name in quotes is read in another way by some.
  const words = new Set(String(command).split(/[\s;|&(){}]+/));
  return (
    isReadable &&
    objections.some(({ effect }) => effect !== undefined && isAskedCommand(effect, { words, asks }))
  );
}

function isAskedCommand(
  { capability, target }: NonNullable<ExplainedStep["effect"]>,
  { words, asks }: Pick<ClientMode, "asks"> & { readonly words: ReadonlySet<string> },
): boolean {
  if (capability !== "shell.run") return false;
  const [path = "", first = ""] = splitCommand(target);
  if (!words.has(path)) return false;
  const program = path.replace(/^.*\//, "");
  if (MAYBE_QUIET.has(program)) return false;
  if (QUIET_FORMS.some((form) => form.programs.test(program) && form.first.test(first))) return false;
  return asks === "calls" || !FILE_PROGRAMS.has(program);
}
