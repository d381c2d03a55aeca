import { isStandardSchema, type Schema, type StandardOutcome } from "../contract/call/schema-type.ts";
import { describeIssue } from "./argument-checker.ts";
import { compileValidator } from "./compile-validator.ts";

type OutputChecker = (data: unknown) => string | undefined | Promise<string | undefined>;

const checkers = new WeakMap<Schema, Promise<OutputChecker>>();

/**
 * In which way data is not what an output schema says; `undefined` when it is. The data is not changed.
 * @throws when the schema cannot be compiled.
 */
export async function outputError(schema: Schema, data: unknown): Promise<string | undefined> {
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
