import { posix } from "node:path";
import { createSession, type Rule, type Session } from "@toolkeep/core";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import type { EffectResolver, IsolationLevel } from "@toolkeep/core/ports";
import { type ScriptedApprover, scriptedApprover } from "@toolkeep/core/testing";
import { parseCommand } from "@toolkeep/node/internal";
import { dryRunTools } from "./dry-run-tools.ts";
import { type Move, type Task, WORKSPACE } from "./task.ts";
import { whyAsked } from "./why-asked.ts";

/** One question to a person. */
export interface Ask {
  /** The call, as one would write it down. */
  readonly call: string;
  /** The parts of the call that are not allowed yet. */
  readonly why: readonly string[];
  readonly mayRemember: boolean;
}

/** What came of a task under one setting. */
export interface Measured {
  readonly task: string;
  readonly asks: readonly Ask[];
  /** When the same is done again in the same session, after every ask was answered with `always`. */
  readonly asksAgain: readonly Ask[];
  /** Calls that did not run, and why. */
  readonly refused: readonly string[];
}

interface Setting {
  readonly isolation: IsolationLevel;
  /** What the project adds to what is recommended. */
  readonly added?: readonly Rule[];
}

const resolver: EffectResolver = {
  canonicalPath: async (path) => posix.normalize(path),
  parseCommand: (line) => parseCommand(line, { home: "/home/ada" }),
};

/** Does a task twice in one session under the recommended policy. Nothing is executed for real. */
export async function measureTask({ name, moves }: Task, setting: Setting): Promise<Measured> {
  const { isolation, added = [] } = setting;
  const approver = scriptedApprover("always");
  const executed: string[] = [];
  const session = await createSession({
    registry: dryRunTools(executed),
    policy: { ...RECOMMENDED_POLICY, mode: "ask", rules: [...RECOMMENDED_POLICY.rules, ...added] },
    principal: { workspace: WORKSPACE },
    variables: { workspace: [WORKSPACE] },
    isolation,
    approver,
    resolver,
  });
  const first = await actOut(session, approver, moves);
  const again = await actOut(session, approver, moves);
  const refused = [...first.refused, ...again.refused];
  if (executed.length + refused.length !== 2 * moves.length) throw new Error("A call got lost.");
  return { task: name, asks: first.asks, asksAgain: again.asks, refused };
}

type Acted = Pick<Measured, "asks" | "refused">;

/** One call after the other, as an agent makes them that waits for each result. */
async function actOut(
  session: Session,
  { requests }: ScriptedApprover,
  moves: readonly Move[],
): Promise<Acted> {
  const asks: Ask[] = [];
  const refused: string[] = [];
  for (const [index, move] of moves.entries()) {
    const [name, args] = move;
    const call = wordsOf(move);
    const request = { id: `call-${index}`, name, arguments: args };
    const explained = await session.explain(request);
    const before = requests.length;
    const { ok, failure } = await session.call(request);
    if (!ok) refused.push(`${call}: ${failure?.message}`);
    for (const { mayRemember } of requests.slice(before))
      asks.push({ call, why: await whyAsked(explained), mayRemember });
  }
  return { asks, refused };
}

function wordsOf([tool, args]: Move): string {
  const what = args["command"] ?? args["path"] ?? args["url"] ?? args["query"] ?? args["number"] ?? "";
  return `${tool} ${String(what).replaceAll("\n", "⏎")}`.trimEnd();
}
