import type { Session } from "@toolkeep/core";
import { BUG_FIX } from "../hook/bug-fix.ts";
import { type ClientCall, wordsOf } from "../step.ts";
import { LONGEST_MS } from "./run-commands.ts";
import { standardCall } from "./standard-call.ts";

/** What came of one step. */
export interface WorkStep {
  readonly name: string;
  readonly outcome: "ran" | "asked" | "denied" | "failed";
  readonly reason: string;
  readonly milliseconds: number;
}

/** The questions of a session, as its approver counts them. */
export interface Questions {
  readonly reasons: string[];
}

/** Nothing of the day leaves the machine: its user says no to these, once asked. */
export function leavesMachine(args: unknown): boolean {
  const { command = "", url, query } = args as Readonly<Record<string, unknown>>;
  return /\bgit push\b|\bgh \w/.test(String(command)) || (url ?? query) !== undefined;
}

/** Plays the bug fix with the standard tools, for real. */
export async function playBugFix(
  session: Session,
  { reasons }: Questions,
  project: string,
): Promise<readonly WorkStep[]> {
  const steps: WorkStep[] = [];
  for (const { call } of BUG_FIX) {
    const own = standardCall(inTypeScript(call, project));
    if (own === undefined) throw new Error(`There is no standard tool for ${call.tool}.`);
    const limit = own.name === "bash" ? { timeout: LONGEST_MS } : {};
    const before = reasons.length;
    const started = performance.now();
    const { ok, failure } = await session.call(own.name, { ...own.arguments, ...limit });
    const milliseconds = performance.now() - started;
    const asked = reasons.slice(before);
    steps.push({
      name: wordsOf(call),
      outcome: asked.length > 0 ? "asked" : ok ? "ran" : outcomeOf(failure?.code),
      reason: asked[0] ?? failure?.message ?? "",
      milliseconds,
    });
  }
  return steps;
}

function outcomeOf(code: string | undefined): "denied" | "failed" {
  return code === "denied" || code === "out_of_scope" ? "denied" : "failed";
}

/** The same in the repository with TypeScript, without the long wait. */
function inTypeScript(call: ClientCall, project: string): ClientCall {
  const text = JSON.stringify(call)
    .replaceAll("{project}", project)
    .replaceAll("src/cart.js", "src/cart.ts")
    .replaceAll("cart.test.js", "cart.test.ts")
    .replaceAll("sleep 3", "sleep 0.2");
  return JSON.parse(text) as ClientCall;
}
