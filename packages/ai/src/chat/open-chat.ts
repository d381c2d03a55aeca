import {
  type Approver,
  createSession,
  type Session,
  type SessionOptions,
  ToolkeepError,
} from "@toolkeep/core";

/** An approver that parks every request: the answer comes with a later request, perhaps in another process. */
export const sdkApprover: Approver = Object.freeze({ approve: async () => "later" as const });

/** One day. */
const APPROVAL_DEADLINE_MS = 24 * 60 * 60 * 1_000;

/** Long enough for a decision or a short call in another process. */
const WAIT_MS = 2_000;
const LONGEST_PAUSE_MS = 200;

/**
 * Opens the session of a chat: a new one, or the one of an earlier request or process. Waits a moment for a process
 * that uses the chat right now.
 */
export function openChat(options: SessionOptions): Promise<Session> {
  const limits = { approvalDeadlineMs: APPROVAL_DEADLINE_MS, ...options.limits };
  return whenFree(options.id, () => createSession({ ...options, limits, approver: sdkApprover }));
}

/** Waits a moment for a process that uses the chat right now, and leaves the chat as it is. */
export function lookAtChat({ id = "", store }: Pick<SessionOptions, "id" | "store">): Promise<void> {
  return whenFree(id, async () => {
    if (store?.isInUse === undefined) await (await store?.open(id))?.release();
    else if (await store.isInUse(id)) throw new ToolkeepError("session_in_use", "It is open.");
  });
}

async function whenFree<Opened>(id: string | undefined, open: () => Promise<Opened>): Promise<Opened> {
  const deadline = Date.now() + WAIT_MS;
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await open();
    } catch (error) {
      if (!ToolkeepError.isInstance(error) || error.code !== "session_in_use") throw error;
      if (Date.now() + pauseMs > deadline) throw inUse(id ?? "", error);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

function inUse(chat: string, cause: ToolkeepError): ToolkeepError {
  const what = `The chat ${JSON.stringify(chat)} is in use: another request runs a call of it, or keeps it open (\`idleMs\`).`;
  const how =
    "Answer with status 409 and let the client try again, or send the requests of a chat to one process.";
  return new ToolkeepError("session_in_use", `${what} ${how} (${cause.message})`, { cause });
}
