import { defineTool, textContent, toolOutput } from "@toolkeep/core";
import { TASK_STATUSES, TODO_INPUT } from "./session-inputs.ts";

/**
 * The tool `todo`: replaces the task list of this session. The list survives a restart and ends with the session.
 * Observers see it as an update and, in the journal, as a `state-write`.
 */
export function todoTool() {
  return defineTool({
    name: "todo",
    label: "Write the task list",
    description:
      "Replaces the task list of this session. Always give the whole list. " +
      "Use it for work of several steps: keep one step in progress, and mark each step completed as soon as it is.",
    mode: "safe_write",
    kind: "other",
    gated: false,
    // Each call writes the whole list, so running it twice is safe.
    idempotent: true,
    inputSchema: TODO_INPUT,
    stateSlot: { version: 1, schema: TODO_INPUT },
    requires: {},
    execute({ todos }, ctx) {
      ctx.state.set({ todos });
      ctx.update({ todos });
      return toolOutput({ data: { todos }, content: [textContent(summaryOf(todos))] });
    },
  });
}

function summaryOf(todos: readonly { readonly status: (typeof TASK_STATUSES)[number] }[]): string {
  if (todos.length === 0) return "The list is empty.";
  const counts = TASK_STATUSES.map((status) => ({
    status,
    count: todos.filter((todo) => todo.status === status).length,
  }));
  const parts = counts.flatMap(({ status, count }) =>
    count === 0 ? [] : [`${count} ${status.replace("_", " ")}`],
  );
  return `Task list saved: ${parts.join(", ")}.`;
}
