import { createRequire } from "node:module";
import type { Environment } from "@marcbachmann/cel-js";
import type { ConditionFacts } from "@toolkeep/core/policy";
import { LINEAR_NAMES } from "./linear-functions.ts";
import { compilePattern, containsText } from "./linear-text.ts";
import { windowOf } from "./windows.ts";
import { zonedTime } from "./zoned-time.ts";

const load = createRequire(import.meta.url);
const TIMESTAMP = "google.protobuf.Timestamp";

let environment: Environment | undefined;

/** The library with our variables and functions. It is loaded with the first condition. */
export function celEnvironment(): Environment {
  environment ??= makeEnvironment();
  return environment;
}

function makeEnvironment(): Environment {
  const { Environment } = load("@marcbachmann/cel-js") as typeof import("@marcbachmann/cel-js");
  const made = new Environment({
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 500, maxDepth: 50, maxListElements: 200, maxMapEntries: 100, maxCallArguments: 8 },
  });
  made.registerVariable("args", "map").registerVariable("effect", "map");
  for (const name of ["tool", "user", "tenant", "agent", "role", "environment"])
    made.registerVariable(name, "string");
  made.registerVariable("groups", "list<string>").registerVariable("now", TIMESTAMP);
  made.registerFunction("rate(string): int", (window: string) => BigInt(counted(window)));
  made
    .registerFunction(`${TIMESTAMP}.hour(string): int`, (at: Date, zone: string) =>
      BigInt(zonedTime(at, zone).hour),
    )
    .registerFunction(
      `${TIMESTAMP}.time(string): string`,
      (at: Date, zone: string) => zonedTime(at, zone).time,
    )
    .registerFunction(
      `${TIMESTAMP}.weekday(string): string`,
      (at: Date, zone: string) => zonedTime(at, zone).weekday,
    )
    .registerFunction(
      `${TIMESTAMP}.date(string): string`,
      (at: Date, zone: string) => zonedTime(at, zone).date,
    );
  made
    .registerFunction(`string.${LINEAR_NAMES["matches"]}(string): bool`, isMatched)
    .registerFunction(`string.${LINEAR_NAMES["contains"]}(string): bool`, containsText);
  return made;
}

function isMatched(text: string, pattern: string): boolean {
  const compiled = compilePattern(pattern);
  if (typeof compiled === "string") throw new Error(compiled);
  return compiled.test(text);
}

/** Functions are given their arguments alone. An evaluation waits for nothing, so that there is one at a time. */
let evaluated: ConditionFacts | undefined;

export function during<Value>(facts: ConditionFacts, evaluate: () => Value): Value {
  const before = evaluated;
  evaluated = facts;
  try {
    return evaluate();
  } finally {
    evaluated = before;
  }
}

function counted(window: string): number {
  const windowMs = windowOf(window);
  if (evaluated === undefined || windowMs === undefined) throw new Error("calls cannot be counted here");
  return evaluated.rate(windowMs);
}
