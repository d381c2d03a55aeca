import { defineTool, output, text } from "@toolkeep/core";

const STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;

const TODO = {
  type: "object",
  properties: {
    content: { type: "string", minLength: 1, maxLength: 1_000, description: "What is to be done." },
    status: { type: "string", enum: STATUSES },
    priority: { type: "string", enum: ["high", "medium", "low"] },
  },
  required: ["content", "status"],
  additionalProperties: false,
} as const;

const LIST = {
  type: "object",
  properties: {
    todos: { type: "array", items: TODO, maxItems: 100, description: "The whole list, in order." },
  },
  required: ["todos"],
  additionalProperties: false,
} as const;

/**
 * Replaces the list of what is to be done in this session. The list outlives a restart and ends with the
 * session; whoever watches sees it as an update and, for good, as a `state-write`.
 */
export function todoTool() {
  return defineTool({
    name: "todo",
    label: "Write the list of tasks",
    description:
      "Replaces the list of what is to be done in this session. Always give the whole list. " +
      "Use it for work of several steps: have one step in progress, and mark each completed as soon as it is.",
    mode: "safe_write",
    kind: "other",
    gated: false,
    // The whole list is written: twice is as good as once.
    idempotent: true,
    inputSchema: LIST,
    stateSlot: { version: 1, schema: LIST },
    requires: {},
    execute({ todos }, ctx) {
      ctx.state.set({ todos });
      ctx.update({ todos });
      return output({ data: { todos }, content: [text(summaryOf(todos))] });
    },
  });
}

function summaryOf(todos: readonly { readonly status: (typeof STATUSES)[number] }[]): string {
  if (todos.length === 0) return "The list is empty.";
  const counts = STATUSES.map((status) => ({
    status,
    count: todos.filter((todo) => todo.status === status).length,
  }));
  const parts = counts.flatMap(({ status, count }) =>
    count === 0 ? [] : [`${count} ${status.replace("_", " ")}`],
  );
  return `The list is written: ${parts.join(", ")}.`;
}
