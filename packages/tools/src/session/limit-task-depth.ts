import { type ParentContext, ToolFailure } from "@toolkeep/core";
import type { TaskRunner } from "@toolkeep/core/ports";

const MAX_DEPTH = 5;

/**
 * Wraps a task runner so that subagents can be nested only `maxDepth` deep. The depth comes from the parent context of
 * the session, not from what an agent says; a root session has none.
 */
export function limitTaskDepth(
  runner: TaskRunner,
  { parent, maxDepth = MAX_DEPTH }: { readonly parent?: ParentContext; readonly maxDepth?: number } = {},
): TaskRunner {
  const depth = parent?.agents.length ?? 0;
  if (depth < maxDepth) return runner;
  return Object.freeze<TaskRunner>({
    async run() {
      throw new ToolFailure(
        "unavailable",
        `Subagents can be nested ${maxDepth} deep, and this one is at that depth.`,
        {
          hint: "Do the work yourself.",
        },
      );
    },
  });
}
