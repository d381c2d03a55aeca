import { defineTool, type Effect, type Tool, ToolFailure } from "@toolkeep/core";
import { onlyReads, splitCommand, withRegistration } from "@toolkeep/core/internal";
import type { PolicyCall, Watchdog } from "@toolkeep/core/policy";
import { BUNDLED } from "./bundled.ts";
import { askPerson } from "./session/ask-person.ts";

/** The parts of plan mode. Both belong to one session. */
export interface PlanMode {
  /** `plan` and `plan_exit`. */
  readonly tools: readonly Tool[];
  /** For the policy: denies every call that may change something, until the user has approved the plan. */
  readonly watchdog: Watchdog;
}

const TEXT = { type: "string", minLength: 1, maxLength: 20_000 } as const;
const APPROVE = "Approve";

/**
 * Plan mode: an agent first looks and writes a plan (`plan`), and changes nothing before the user has approved it
 * (`plan_exit`). Make one for each session; its subagents are in the same mode. A process that continues the session
 * begins in plan mode, and `plan_exit` leaves it without asking if the same plan was approved before.
 *
 * @example
 * const { tools, watchdog } = planMode();
 * const agent = await createAgent({
 *   model, workspace, approver,
 *   tools: [...standardTools(), ...tools],
 *   policy: { rules: ["allow fs.read {workspace}/**", "ask fs.write"], watchdogs: [watchdog] },
 * });
 */
export function planMode(): PlanMode {
  let isPlanning = true;
  const tools = [planTool(), planExitTool(() => (isPlanning = false))] as readonly Tool[];
  return {
    tools: tools.map((tool) => withRegistration(tool, BUNDLED)),
    watchdog: {
      name: "plan-mode",
      evaluate: (call) =>
        !isPlanning || changesNothing(call)
          ? { action: "allow" }
          : {
              action: "deny",
              reason:
                "In plan mode nothing is changed. Write the plan with `plan`, then ask the user to approve it with `plan_exit`",
            },
    },
  };
}

function planTool() {
  return defineTool({
    name: "plan",
    label: "Write the plan",
    description:
      "Writes the plan of the work, or replaces it; without `text` it returns the plan. " +
      "You begin in plan mode: look at what there is, ask what is not clear, and write down what you will change and how you will check it. " +
      "Nothing can be changed before `plan_exit`.",
    mode: "safe_write",
    kind: "think",
    gated: false,
    idempotent: true,
    inputSchema: { type: "object", properties: { text: TEXT }, additionalProperties: false },
    stateSlot: { version: 1, schema: TEXT },
    requires: {},
    execute({ text }, ctx) {
      if (text !== undefined) ctx.state.set(text);
      const plan = text ?? ctx.state.get();
      if (plan === undefined)
        throw new ToolFailure("not_found", "There is no plan yet. Write one with `plan`.");
      ctx.update({ plan });
      return { plan };
    },
  });
}

function planExitTool(leave: () => void) {
  return defineTool({
    name: "plan_exit",
    label: "Approve the plan",
    description:
      "Asks the user to approve the plan that `plan` wrote, and leaves plan mode. If the user wants another plan, change it and call this again.",
    mode: "read",
    kind: "think",
    gated: false,
    resumable: true,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    stateSlot: { version: 1, schema: TEXT },
    requires: {},
    async execute(_args, ctx) {
      const written = await ctx.call("plan", {});
      if (!written.ok) throw new ToolFailure("not_found", "There is no plan yet. Write one with `plan`.");
      const { plan } = written.data as { readonly plan: string };
      if (ctx.state.get() !== plan) {
        const options = [{ label: APPROVE }, { label: "Keep planning" }];
        const question = `May the agent carry out this plan?\n\n${plan}`;
        const [said = []] = await askPerson(ctx, [{ header: "Plan", question, options }]);
        if (said.join() !== APPROVE) return { approved: false, answer: said.join("\n") };
        ctx.state.set(plan);
      }
      leave();
      return { approved: true };
    },
  });
}

/** What cannot be told is treated as a change: a tool without effects may do anything, unless it came along and is not gated. */
function changesNothing({ found, effects }: PolicyCall): boolean {
  const isBundled = found.origin.layer === "bundled";
  if (effects.length === 0) return isBundled && !found.tool.gated;
  return effects.every((effect) => isRead(effect, isBundled));
}

/** A tool that came along fetches and does not send; of others that is not known. */
function isRead({ capability, target }: Effect, isBundled: boolean): boolean {
  if (capability === "shell.run") return onlyReads(splitCommand(target));
  if (capability === "net.fetch") return isBundled;
  return capability === "net.search" || capability.endsWith(".read");
}
