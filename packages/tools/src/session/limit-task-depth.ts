import { type ParentContext, ToolFailure } from "@toolkeep/core";
import type { TaskRunner } from "@toolkeep/core/ports";

const MOST_DEEP = 5;

/**
 * The same runner, for a session of that lineage: the root has none. A session that is as deep as agents may
 * go cannot start another one. Depth is what the runtime knows of the session, not what an agent says.
 */
export function limitTaskDepth(
  runner: TaskRunner,
  {
    parentContext,
    mostDeep = MOST_DEEP,
  }: { readonly parentContext?: ParentContext; readonly mostDeep?: number } = {},
): TaskRunner {
  const depth = parentContext?.agents.length ?? 0;
  if (depth < mostDeep) return runner;
  return Object.freeze<TaskRunner>({
    async run() {
      throw new ToolFailure(
        "unavailable",
        `Agents may go ${mostDeep} deep, and this one is as deep as that.`,
        {
          hint: "Do the work yourself.",
        },
      );
    },
  });
}
