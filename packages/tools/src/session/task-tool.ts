import { defineTool, output, type ToolOutput, text } from "@toolkeep/core";
import type { TaskOutcome } from "@toolkeep/core/ports";

const MOST_MINUTES = 30;

const INPUT = {
  type: "object",
  properties: {
    description: {
      type: "string",
      maxLength: 200,
      description: "The task in a few words, for the person who watches.",
    },
    prompt: {
      type: "string",
      minLength: 1,
      maxLength: 100_000,
      description: "All the agent needs to know: it sees nothing of this conversation.",
    },
    subagent_type: {
      type: "string",
      pattern: "^[A-Za-z0-9_-]{1,64}$",
      default: "general",
      description: "The name of the agent.",
    },
    background: {
      type: "boolean",
      default: false,
      description: "Do not wait: return the id of its session at once.",
    },
  },
  required: ["prompt"],
  additionalProperties: false,
} as const;

/**
 * Hands work to a subagent, and waits for its last words or lets it work behind. What the subagent may do is
 * what its parent may, narrowed by its own rules; so the tool itself needs nothing.
 */
export function taskTool() {
  return defineTool({
    name: "task",
    label: "Hand work to a subagent",
    description:
      "Hands a task to a subagent with a conversation of its own and returns its final words. " +
      "Use it for work that can be told in one prompt. It may do no more than you may.",
    mode: "external",
    kind: "other",
    gated: false,
    // The runner starts one child for one call, however often that is run.
    idempotent: true,
    timeoutMs: MOST_MINUTES * 60_000,
    // Rules can name an agent: `task.researcher`.
    actionArgument: "subagent_type",
    inputSchema: INPUT,
    requires: {},
    async execute({ description, prompt, subagent_type: agent, background }, ctx) {
      const metadata = description === undefined ? {} : { metadata: { description } };
      const outcome = await ctx.spawn({ agent, prompt, ...metadata }, { detached: background });
      return resultOf(outcome);
    },
  });
}

/** The child's session is named in either case: its transcript can be looked into. */
function resultOf(outcome: TaskOutcome): ToolOutput {
  const { childId } = outcome;
  if (outcome.status === "started") {
    return output({
      childId,
      data: { session_id: childId },
      content: [text(`The agent works in the background, in the session ${childId}.`)],
    });
  }
  return output({
    childId,
    data: { output: outcome.text, session_id: childId },
    content: [text(outcome.text === "" ? "(the agent said nothing)" : outcome.text)],
  });
}
