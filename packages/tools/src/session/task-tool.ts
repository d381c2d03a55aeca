import { defineTool, type ToolOutput, textContent, toolOutput } from "@toolkeep/core";
import type { TaskOutcome } from "@toolkeep/core/ports";
import { TASK_INPUT } from "./session-inputs.ts";

const MOST_MINUTES = 30;

/**
 * The tool `task`: gives work to a subagent and waits for its final message, or lets it run in the background. The
 * subagent has at most the permissions of its parent, so the tool itself requires nothing.
 */
export function taskTool() {
  return defineTool({
    name: "task",
    label: "Give work to a subagent",
    description:
      "Gives a task to a subagent with its own conversation and returns its final message. " +
      "Use it for work that one prompt can describe. It has at most your permissions.",
    mode: "external",
    kind: "other",
    gated: false,
    // The runner starts one child for each call id, even if the call runs again.
    idempotent: true,
    timeoutMs: MOST_MINUTES * 60_000,
    // Rules can name an agent: `task.researcher`.
    actionArgument: "subagent_type",
    inputSchema: TASK_INPUT,
    requires: {},
    async execute({ description, prompt, subagent_type: agent, background }, ctx) {
      const metadata = description === undefined ? {} : { metadata: { description } };
      const outcome = await ctx.spawn({ agent, prompt, ...metadata }, { detached: background });
      return resultOf(outcome);
    },
  });
}

/** Names the child's session in both cases, so that its transcript can be read. */
function resultOf(outcome: TaskOutcome): ToolOutput {
  const { childId } = outcome;
  if (outcome.status === "started") {
    return toolOutput({
      childId,
      data: { session_id: childId },
      content: [textContent(`The subagent works in the background, in session ${childId}.`)],
    });
  }
  return toolOutput({
    childId,
    data: { output: outcome.text, session_id: childId },
    content: [textContent(outcome.text === "" ? "(the subagent returned no text)" : outcome.text)],
  });
}
