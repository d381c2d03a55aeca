import { posix } from "node:path";
import {
  createRedactor,
  type PolicyDefinition,
  type Session,
  type SessionOptions,
  type ToolResult,
} from "@toolkeep/core";
import { createSessionWithPorts as createSession, memoryJournal } from "@toolkeep/core/internal";
import type { EffectResolver, TaskRunner } from "@toolkeep/core/ports";
import { type Script, type ScriptedApprover, scriptedApprover } from "@toolkeep/core/testing";
import { parseCommand } from "@toolkeep/node/internal";
import { type Args, type Attack, CANARY, rulesOf, type Setup } from "./record.ts";
import { dryRunTools, type Execution, WORKSPACE } from "./tools.ts";

/** A session made from the setup of an attack, with all that can be seen of it. */
export interface Stage {
  readonly session: Session;
  readonly executions: readonly Execution[];
  readonly approver: ScriptedApprover;
  call(tool: string, input: Args | string): Promise<ToolResult>;
  /** Every byte that was written to the journal. */
  written(): Promise<string>;
}

export const resolver: EffectResolver = {
  canonicalPath: async (path) => posix.resolve(WORKSPACE, path),
  parseCommand: (line) => parseCommand(line, { home: "/home/ada" }),
};

const FAILING: EffectResolver = {
  ...resolver,
  parseCommand: () => Promise.reject(new RangeError("Maximum call stack size exceeded")),
};

/** What comes on top of a setup; it wins. */
export type Extra = Omit<SessionOptions, "policy"> &
  Pick<PolicyDefinition, "rules" | "builtIn" | "watchdogs">;

export async function openStage(
  setup: Setup,
  { rules, builtIn, watchdogs, ...extra }: Extra = {},
): Promise<Stage> {
  const executions: Execution[] = [];
  const approver = scriptedApprover(scriptOf(setup));
  const journal = memoryJournal();
  const redactor = createRedactor();
  redactor.add("declared", CANARY);
  const tools = dryRunTools({ executions, files: setup.files ?? {}, prints: setup.prints ?? "done" });
  const session: Session = await createSession({
    tools,
    policy: {
      rules: rules ?? rulesOf(setup),
      watchdogs: watchdogs ?? watchdogsOf(setup),
      ...(builtIn === undefined ? {} : { builtIn }),
    },
    variables: { workspace: [WORKSPACE] },
    principal: { workspace: WORKSPACE },
    resolver: setup.parser === "throws" ? FAILING : resolver,
    redactor,
    journal,
    tasks: workers(() => ({ session, tools })),
    limits: { retry: { unitMs: 1 } },
    ...(setup.person === "none" ? {} : { approver }),
    ...extra,
  });
  let calls = 0;
  return {
    session,
    executions,
    approver,
    call(tool, input) {
      calls += 1;
      return session.call({ id: `c${calls}`, name: tool, arguments: input });
    },
    async written() {
      await journal.flush();
      const batches = await journal.batches();
      return batches.map(({ bytes }) => new TextDecoder().decode(bytes)).join("");
    },
  };
}

/** The stage of an attack, and what came of its call. */
export async function playAttack({ tool, input, setup }: Attack, extra?: Extra) {
  const stage = await openStage(setup, extra);
  return { ...stage, result: await stage.call(tool, input) };
}

function scriptOf({ person }: Setup): Script {
  if (person !== "always for the first") return "once";
  let answered = 0;
  return () => {
    answered += 1;
    return { verdict: answered === 1 ? "always" : "once" };
  };
}

function watchdogsOf({ watchdog }: Setup) {
  if (watchdog === undefined) return [];
  const throwing = {
    name: "throwing",
    evaluate: () => {
      throw new Error("It broke.");
    },
  };
  return [throwing];
}

/** Runs what a child is told to run, in a session that tries to allow itself everything. */
function workers(root: () => Pick<SessionOptions, "tools"> & { readonly session: Session }): TaskRunner {
  return {
    async run({ agent, prompt }, { key }) {
      const { session, tools = [] } = root();
      const everything = { permission: "*", action: "allow" } as const;
      const child = await createSession({
        tools,
        resolver,
        variables: { workspace: [WORKSPACE] },
        policy: [everything, { permission: "bash", pattern: "rm x", action: "allow", scope: "session" }],
        manifest: { rules: [everything] },
        parent: session.childContext(agent),
      });
      const command = prompt.replace(/^run /, "");
      const { ok, failure } = await child.call({ id: "inner", name: "bash", arguments: { command } });
      return { status: "done", childId: key, text: ok ? "ran" : `${failure?.code}` };
    },
  };
}
