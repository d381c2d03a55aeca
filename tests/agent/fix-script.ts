import type { AgentDefinition } from "@toolkeep/ai";

/** A call of the conversation so far, with what came of it. */
export interface PastCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
}

/** What the scripted model says next. */
export interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
}

/** What the agent is asked to do. */
export const PROMPT = "Fix the failing test.";
const REVIEW_PROMPT = "Review the change of add.sh, and note in REVIEW.md that you did.";

/** Whom the agent gives the review to. It asks for what its parent may do without being asked. */
export const REVIEWER: AgentDefinition = {
  name: "reviewer",
  description: "Reviews a change before it is finished.",
  instructions: "You review changes.",
  tools: ["read", "grep", "bash"],
  policy: ["allow *", "ask bash"],
};

/** What applies to the agent. */
export const POLICY: readonly string[] = ["allow *", "ask edit"];

/** Whose conversation begins so. */
export function agentOf(prompt: string): "root" | "reviewer" {
  return prompt.includes(REVIEW_PROMPT) ? "reviewer" : "root";
}

/** Leaves a line in test.log. */
const test = (when: string) => ({ name: "bash", args: { command: `./test.sh ${when}` } });
/** Their effect comes first, so that a process that is killed meanwhile has had it. */
const NOTE = {
  name: "bash",
  args: { command: "echo 'add.sh adds again' >> CHANGES.md; ./linger.sh root" },
};
const SIGN = {
  name: "bash",
  args: { command: "echo 'add.sh reviewed' >> REVIEW.md; ./linger.sh reviewer" },
};
const EDIT = { name: "edit", args: { path: "add.sh", old_string: "$1 - $2", new_string: "$1 + $2" } };
const QUESTION = { name: "question", args: { questions: [{ question: "Shall the change be noted?" }] } };
const TASK = {
  name: "task",
  args: { prompt: REVIEW_PROMPT, subagent_type: REVIEWER.name, background: false },
};
const GREP = { name: "grep", args: { pattern: "add.sh" } };
const read = (path: string) => ({ name: "read", args: { path } });

/** The model of the sample, for both agents. What it says depends on the conversation alone. */
export function nextReply(past: readonly PastCall[], prompt: string): ScriptedReply {
  return agentOf(prompt) === "reviewer" ? nextOfReview(past) : nextOfFix(past);
}

/**
 * Runs the tests, reads and searches, edits, runs the tests again, gives the review to another agent, asks whether to
 * note the change, and notes it. An outcome that is not known it finds out by reading, and it repeats only what has not
 * happened.
 */
function nextOfFix(past: readonly PastCall[]): ScriptedReply {
  const failing = stillNeeded(past, test("before"), { path: "test.log", shows: "failed" });
  if (failing !== undefined) return { calls: [failing] };
  if (!hasCalled(past, read("add.sh"))) return { calls: [read("add.sh"), GREP] };
  const edited = stillNeeded(past, EDIT, { path: "add.sh", shows: "$1 + $2" });
  if (edited !== undefined) return { calls: [edited] };
  const passing = stillNeeded(past, test("after"), { path: "test.log", shows: "passed" });
  if (passing !== undefined) return { calls: [passing] };
  if (!hasCalled(past, TASK)) return { calls: [TASK] };
  if (!past.some((call) => call.name === "question" && !isUnknown(call))) return { calls: [QUESTION] };
  const noted = stillNeeded(past, NOTE, { path: "CHANGES.md", shows: "add.sh adds again" });
  if (noted !== undefined) return { calls: [noted] };
  return { text: "add.sh adds again, and its test passes." };
}

/** Reads, searches, and notes that it did. */
function nextOfReview(past: readonly PastCall[]): ScriptedReply {
  if (!hasCalled(past, read("add.sh"))) return { calls: [read("add.sh"), GREP] };
  const signed = stillNeeded(past, SIGN, { path: "REVIEW.md", shows: "add.sh reviewed" });
  if (signed !== undefined) return { calls: [signed] };
  return { text: "The change is right." };
}

type Call = Pick<PastCall, "name" | "args">;

/** The call that is still needed for something that may happen only once; `undefined` when it has happened. */
function stillNeeded(
  past: readonly PastCall[],
  action: Call,
  seen: { readonly path: string; readonly shows: string },
): Call | undefined {
  const last = past.findLastIndex((call) => isSame(call, action));
  const call = past[last];
  if (call === undefined) return action;
  if (!isUnknown(call)) return undefined;
  const look = past.slice(last + 1).find((later) => isSame(later, read(seen.path)));
  if (look === undefined) return read(seen.path);
  return look.result.includes(seen.shows) ? undefined : action;
}

function hasCalled(past: readonly PastCall[], action: Call): boolean {
  return past.some((call) => isSame(call, action));
}

function isSame(call: Call, other: Call): boolean {
  return call.name === other.name && JSON.stringify(call.args) === JSON.stringify(other.args);
}

/** Whether the model was told that the call may have run. */
function isUnknown({ result }: Pick<PastCall, "result">): boolean {
  return result.includes("outcome unknown");
}
