import type { Session, SessionOptions, ToolCall, ToolResult } from "@toolkeep/core";
import {
  createSessionWithPorts as createSession,
  memoryJournal,
  memoryPending,
  memorySidecar,
  type SessionPorts,
} from "@toolkeep/core/internal";
import type { EffectResolver, IsolationLevel } from "@toolkeep/core/ports";
import { type ScriptedApprover, scriptedApprover } from "@toolkeep/core/testing";
import { parseCommand } from "@toolkeep/node/internal";
import { type Execution, recordingTools } from "./tools.ts";

type Lives = SessionOptions & SessionPorts;

type Args = Readonly<Record<string, unknown>>;

/** A call of the scripted model: which tool, with what. */
export type Move = readonly [tool: string, args: Args];

/** Where a scripted model acts. Rules allow everything. */
export interface Stage {
  /** What really ran. */
  readonly executions: readonly Execution[];
  readonly approver: ScriptedApprover;
  /** Calls one after the other; whatever is asked about them is approved. */
  does(...moves: readonly Move[]): Promise<readonly ToolResult[]>;
  /** The call by which something would leave; a question about it is answered with no. */
  leavesBy(tool: string, args: Args): Promise<void>;
  /** Both kinds of call in one turn. */
  doesAndLeaves(move: Move, leaving: Move): Promise<void>;
  /** The same for an agent that this one started. */
  subagent(name: string): Promise<Stage>;
  /** The same session in a later life. */
  reopened(): Promise<Stage>;
}

export const LEAVING = "leave";

const resolver: EffectResolver = {
  canonicalPath: async (path) => path,
  parseCommand: (line) => parseCommand(line, { home: "/home/ada" }),
};

export async function openStage(isolation: IsolationLevel = "none"): Promise<Stage> {
  const executions: Execution[] = [];
  const approver = scriptedApprover(({ callId }) => ({
    verdict: callId === LEAVING ? "reject" : "once",
  }));
  const options = {
    ...lifeOf("root"),
    registry: recordingTools(executions),
    // What asks here must be the rule of two: scripts that were changed are asked about for another reason.
    policy: { rules: [{ permission: "*", action: "allow" }], builtIn: { "changed-scripts": "off" } },
    variables: { workspace: ["/repo"] },
    isolation,
    approver,
    resolver,
  } as const satisfies Lives;
  return stageOf(await createSession(options), options, { executions, approver });
}

/** What all lives of a session share. */
function lifeOf(sessionId: string) {
  return { id: sessionId, journal: memoryJournal(), pending: memoryPending(), sidecar: memorySidecar() };
}

type Shared = Pick<Stage, "executions" | "approver">;

function stageOf(session: Session, options: Lives, shared: Shared): Stage {
  const called = (): string => `call-${shared.executions.length}-${shared.approver.requests.length}`;
  const asCall = (id: string, [name, args]: Move): ToolCall => ({ id, name, arguments: args });
  return {
    ...shared,
    async does(...moves) {
      const results: ToolResult[] = [];
      for (const move of moves) results.push(await session.call(asCall(called(), move)));
      return results;
    },
    async leavesBy(tool, args) {
      await session.call(asCall(LEAVING, [tool, args]));
    },
    async doesAndLeaves(move, leaving) {
      await session.run([asCall(called(), move), asCall(LEAVING, leaving)]);
    },
    async subagent(name) {
      const { policy: _inherited, isolation: _held, ...same } = options;
      const own: Lives = { ...same, ...lifeOf(name), parent: session.childContext(name) };
      return stageOf(await createSession(own), own, shared);
    },
    async reopened() {
      return stageOf(await createSession(options), options, shared);
    },
  };
}
