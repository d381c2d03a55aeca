import type { Budget } from "../contract/values/budget.ts";
import { type ResultDict, toDict } from "../formats/projections.ts";
import { failedResult } from "../results/runtime-failure.ts";
import type { Session } from "./session.ts";
import { createBudgets } from "./token-budget.ts";

/** A call by name and parameters, as orchestrators of another style make it. */
export interface ExecuteToolRequest {
  readonly toolName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly role?: string;
  readonly workspace?: string;
  /** Shared by the calls of one workflow. */
  readonly budget?: Budget;
  /** A budget for this call alone. */
  readonly maxTokens?: number;
  readonly callId?: string;
}

/** Tools that run a command line, which is nothing without one. */
const COMMAND_TOOLS = new Set(["bash", "bash_manager"]);

/**
 * Runs one tool and gives the result as a dictionary. The call goes through the same pipeline as any other;
 * the defaults (role `agent`, workspace `main`) and two early refusals are added.
 */
export async function executeTool(session: Session, request: ExecuteToolRequest): Promise<ResultDict> {
  const {
    toolName,
    parameters,
    role = "agent",
    workspace = "main",
    budget,
    maxTokens,
    callId = crypto.randomUUID(),
  } = request;
  const call = { id: callId, toolName };
  if (toolName.trim() === "") {
    return toDict(
      failedResult(call, { code: "empty_tool_name", message: "A tool call needs the name of a tool." }),
    );
  }
  if (COMMAND_TOOLS.has(toolName) && !isText(parameters["command"])) {
    const message = `${toolName} needs the parameter "command".`;
    return toDict(failedResult(call, { code: "missing_required_param", message }));
  }
  const spending =
    budget ?? (maxTokens === undefined ? undefined : (await createBudgets({ tokens: maxTokens }))());
  const result = await session.call(
    { id: callId, name: toolName, arguments: parameters },
    {
      principal: { ...session.principal, role, workspace },
      ...(spending === undefined ? {} : { budget: spending }),
    },
  );
  return toDict(result);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}
