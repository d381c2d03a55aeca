import type { ToolResult } from "../../../contract/call/result.ts";
import { isStandardSchema, type Schema, type StandardOutcome } from "../../../contract/call/schema-type.ts";
import { errorText } from "../../../contract/values/error.ts";
import { isOwn } from "../../../contract/values/origin.ts";
import { describeIssue } from "../../../schema/argument-checker.ts";
import { compileValidator } from "../../../schema/compile-validator.ts";
import { warnDeveloper } from "../../turn/developer-warning.ts";
import type { QueuedCall } from "../../turn/stage.ts";
import type { Turn } from "../../turn/turn.ts";

/**
 * Compares the data of a result with the `outputSchema` of its tool. Deviations are recorded and shown to the
 * developer, once for each tool, and change nothing. Tools of other programs are not checked: their makers do not read
 * our journal.
 */
export function checkOutput(call: QueuedCall, result: ToolResult, turn: Turn): Promise<void> | undefined {
  const { tool, origin } = call.found;
  const isDue =
    tool.outputSchema !== undefined && isOwn(origin) && result.ok && result.truncation === undefined;
  // A tool that gives content instead of data has nothing to compare.
  if (!isDue || (result.data === undefined && result.content !== undefined)) return undefined;
  return compare(call, result, turn);
}

async function compare({ id, found }: QueuedCall, { data }: ToolResult, turn: Turn): Promise<void> {
  const error = await deviationOf(found.tool.outputSchema, data);
  if (error === undefined) return;
  const { recorder } = turn.runtime;
  recorder.write(turn.id, { type: "output-mismatch", callId: id, tool: found.name, error });
  if (warned.has(found.tool)) return;
  warned.add(found.tool);
  warnDeveloper(
    `The tool ${JSON.stringify(found.name)} does not return what its \`outputSchema\` says: ${error}`,
    turn,
  );
}

const warned = new WeakSet<object>();

async function deviationOf(
  schema: QueuedCall["found"]["tool"]["outputSchema"],
  data: unknown,
): Promise<string | undefined> {
  try {
    return schema === undefined ? undefined : await outputError(schema, data ?? null);
  } catch (error) {
    return `the schema cannot be used (${errorText(error)})`;
  }
}

/** Whether data that was cut still is what the schema says. */
export async function isStillValid(call: QueuedCall, head: unknown): Promise<boolean> {
  const { tool, origin } = call.found;
  if (tool.outputSchema === undefined || !isOwn(origin)) return true;
  return (await deviationOf(tool.outputSchema, head)) === undefined;
}

type OutputChecker = (data: unknown) => string | undefined | Promise<string | undefined>;

const checkers = new WeakMap<Schema, Promise<OutputChecker>>();

/** Why data is not what an output schema says, if it is not. @throws when the schema cannot be compiled. */
async function outputError(schema: Schema, data: unknown): Promise<string | undefined> {
  const made = checkers.get(schema) ?? makeChecker(schema);
  checkers.set(schema, made);
  const check = await made;
  // A schema may fill in defaults.
  return check(structuredClone(data));
}

async function makeChecker(schema: Schema): Promise<OutputChecker> {
  if (!isStandardSchema(schema)) return compileValidator(schema, "the output");
  return async (data) => issuesIn(await schema["~standard"].validate(data));
}

const MOST_ISSUES = 10;

function issuesIn({ issues }: StandardOutcome<unknown>): string | undefined {
  return issues
    ?.slice(0, MOST_ISSUES)
    .map((issue) => describeIssue(issue, "the output"))
    .join("; ");
}
