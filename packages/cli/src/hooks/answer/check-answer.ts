import type { HookAnswer, HookClientName } from "../../clients/hook-call.ts";

type Fields = Readonly<Record<string, unknown>>;

const DECISIONS: ReadonlySet<unknown> = new Set(["allow", "ask", "deny"]);
const BEHAVIORS: ReadonlySet<unknown> = new Set(["allow", "deny"]);

/** Clients let a call pass if the answer is not of their form, so each field that decides is checked. */
const FORMS: Readonly<Record<HookClientName, (answer: Fields) => boolean>> = {
  "claude-code"({ hookSpecificOutput: specific }) {
    if (specific === undefined) return true;
    return (
      isFields(specific) &&
      typeof specific["hookEventName"] === "string" &&
      isDecision(specific["permissionDecision"]) &&
      isBehavior(specific["decision"])
    );
  },
  cursor: ({ permission }) => isDecision(permission),
  "gemini-cli": ({ decision }) => isDecision(decision),
  codex({ hookSpecificOutput: specific, ...others }) {
    if (isFields(specific) && specific["hookEventName"] === "PostToolUse")
      return others["decision"] === "block" && isText(others["reason"]) && Object.keys(others).length === 2;
    return Object.keys(others).length === 0 && (specific === undefined || isCodexDecision(specific));
  },
  // Its own rules decide what is allowed.
  copilot: ({ permissionDecision, modifiedArgs }) =>
    isDecision(permissionDecision) &&
    permissionDecision !== "allow" &&
    (modifiedArgs === undefined || (isFields(modifiedArgs) && permissionDecision === undefined)),
  opencode: ({ action, reason, args }) =>
    action === "none" ||
    (action === "deny" && isText(reason)) ||
    (action === "replace" && isFields(args) && isText(args["command"])),
};

/** A denial with a reason, or an `allow` with another command, and no other field. */
function isCodexDecision(specific: unknown): boolean {
  if (!isFields(specific)) return false;
  const { hookEventName, permissionDecision, permissionDecisionReason, updatedInput, decision, ...others } =
    specific;
  if (Object.keys(others).length > 0) return false;
  if (hookEventName === "PermissionRequest")
    return (
      Object.keys(specific).length === 2 &&
      isFields(decision) &&
      Object.keys(decision).length === 2 &&
      decision["behavior"] === "deny" &&
      isText(decision["message"])
    );
  if (hookEventName !== "PreToolUse" || Object.keys(specific).length !== 3) return false;
  if (permissionDecision === "allow") return isFields(updatedInput) && isText(updatedInput["command"]);
  return permissionDecision === "deny" && isText(permissionDecisionReason);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** Whether this is a whole answer in the form of the client. */
export function isAnswer(value: unknown, client: HookClientName): value is HookAnswer {
  if (!isFields(value)) return false;
  const { stdout, stderr, exitCode } = value;
  if (typeof stdout !== "string" || typeof stderr !== "string") return false;
  if (exitCode === 2) return stdout === "" && stderr !== "";
  return exitCode === 0 && isOfForm(stdout, client);
}

function isOfForm(stdout: string, client: HookClientName): boolean {
  try {
    const answer: unknown = JSON.parse(stdout);
    return isFields(answer) && FORMS[client](answer);
  } catch {
    return false;
  }
}

function isDecision(value: unknown): boolean {
  return value === undefined || DECISIONS.has(value);
}

/** The answer to a request for permission. */
function isBehavior(value: unknown): boolean {
  return value === undefined || (isFields(value) && BEHAVIORS.has(value["behavior"]));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
