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

/** Leaves a line in test.log. */
const test = (when: string) => ({ name: "bash", args: { command: `./test.sh ${when}` } });
/** Its effect comes first, so that a process that is killed meanwhile has had it. */
const NOTE = { name: "bash", args: { command: "echo 'add.sh adds again' >> CHANGES.md; sleep 0.2" } };
const EDIT = { name: "edit", args: { path: "add.sh", old_string: "$1 - $2", new_string: "$1 + $2" } };
const QUESTION = { name: "question", args: { questions: [{ question: "Shall the change be noted?" }] } };
const read = (path: string) => ({ name: "read", args: { path } });

/**
 * The model of the sample: it runs the tests, reads and searches, edits, runs the tests again, asks whether to note the
 * change, and notes it. What it says depends on the conversation alone. An outcome that is not known it finds out by
 * reading, and it repeats only what has not happened.
 */
export function nextReply(past: readonly PastCall[]): ScriptedReply {
  const failing = stillNeeded(past, test("before"), { path: "test.log", shows: "failed" });
  if (failing !== undefined) return { calls: [failing] };
  if (!past.some((call) => isSame(call, read("add.sh"))))
    return { calls: [read("add.sh"), { name: "grep", args: { pattern: "add.sh" } }] };
  const edited = stillNeeded(past, EDIT, { path: "add.sh", shows: "$1 + $2" });
  if (edited !== undefined) return { calls: [edited] };
  const passing = stillNeeded(past, test("after"), { path: "test.log", shows: "passed" });
  if (passing !== undefined) return { calls: [passing] };
  if (!past.some((call) => call.name === "question" && !isUnknown(call))) return { calls: [QUESTION] };
  const noted = stillNeeded(past, NOTE, { path: "CHANGES.md", shows: "add.sh adds again" });
  if (noted !== undefined) return { calls: [noted] };
  return { text: "add.sh adds again, and its test passes." };
}

/** The call that is still needed for something that may happen only once; `undefined` when it has happened. */
function stillNeeded(
  past: readonly PastCall[],
  action: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
  seen: { readonly path: string; readonly shows: string },
) {
  const last = past.findLastIndex((call) => isSame(call, action));
  const call = past[last];
  if (call === undefined) return action;
  if (!isUnknown(call)) return undefined;
  const look = past.slice(last + 1).find((later) => isSame(later, read(seen.path)));
  if (look === undefined) return read(seen.path);
  return look.result.includes(seen.shows) ? undefined : action;
}

function isSame(call: Pick<PastCall, "name" | "args">, other: Pick<PastCall, "name" | "args">): boolean {
  return call.name === other.name && JSON.stringify(call.args) === JSON.stringify(other.args);
}

/** Whether the model was told that the call may have run. */
function isUnknown({ result }: Pick<PastCall, "result">): boolean {
  return result.includes("outcome unknown");
}
