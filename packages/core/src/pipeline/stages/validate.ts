import type { CheckedCall, FoundCall } from "../../contract/stages/call.ts";
import { errorText } from "../../contract/values/error.ts";
import { FAILURE_MESSAGES, failure } from "../../results/runtime-failure.ts";
import { type ArgumentChecker, argumentChecker, type CheckOutcome } from "../../schema/argument-checker.ts";
import { type Awaitable, Refused } from "../turn/stage.ts";

/** Validates the arguments against the schema. The result is a frozen copy. */
export function validate(call: FoundCall): Awaitable<CheckedCall | Refused> {
  const checker = argumentChecker(call.found.tool.inputSchema);
  return checker instanceof Promise
    ? checker.then(
        (loaded) => apply(loaded, call),
        (error: unknown) => unusable(call, error),
      )
    : apply(checker, call);
}

function apply(checker: ArgumentChecker, call: FoundCall): Awaitable<CheckedCall | Refused> {
  const outcome = checker(call.request.arguments);
  return outcome instanceof Promise
    ? outcome.then((late) => toChecked(late, call))
    : toChecked(outcome, call);
}

function toChecked(outcome: CheckOutcome, call: FoundCall): CheckedCall | Refused {
  if (outcome.error !== undefined) {
    const message = FAILURE_MESSAGES.invalidArguments(outcome.error);
    return new Refused(
      "validate",
      failure("invalid_arguments", message, "Call it again with arguments that fit."),
      call,
    );
  }
  const argsText = textOf(call.request.arguments, outcome.args, outcome.isChanged);
  return { ...call, args: outcome.args, argsText };
}

/**
 * The model's own text is as good as ours if nothing was added to it, and if it says what it means:
 * without escapes, behind which a secret could hide, and on one line.
 */
function textOf(raw: string | object, args: object, isChanged: boolean): string {
  const isPlain = typeof raw === "string" && raw.trim() !== "" && !isChanged && !/[\\\n\r]/.test(raw);
  if (isPlain) return raw;
  // A schema may make something of the arguments that JSON cannot hold, a set or a date; what came in was JSON.
  const shown = !isChanged || isJson(args, 0) ? args : raw;
  if (typeof shown !== "string") return JSON.stringify(shown);
  // Some models send nothing at all where they mean no arguments.
  return shown.trim() === "" ? "{}" : JSON.stringify(JSON.parse(shown));
}

const DEEPEST = 1_000;

/** Whether JSON holds the value as it is. */
function isJson(value: unknown, depth: number): boolean {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean")
    return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > DEEPEST) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isBare = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  return isBare && Object.values(value).every((inner) => isJson(inner, depth + 1));
}

function unusable(call: FoundCall, error: unknown): Refused {
  const reason = errorText(error);
  return new Refused(
    "validate",
    failure("unavailable", `${call.found.name} cannot be called: ${reason}`),
    call,
  );
}
