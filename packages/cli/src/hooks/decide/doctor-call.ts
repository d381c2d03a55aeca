import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { HookCall } from "../../clients/hook-call.ts";

const key = () => join(homedir(), ".ssh", "toolkeep-doctor");

/** What `toolkeep doctor` plays: it reads a key that does not exist. It is never run, and would do nothing if it were. */
export const doctorCommand = () => `cat ${key()}`;

/** Before a random id: the conversations of test calls. */
export const DOCTOR_CONVERSATION = "toolkeep-doctor-";

/**
 * Whether a call is a test call, of which nothing is recorded. No variable and no file says so, which a project could
 * set: only this one command, which does nothing, is never recorded, and only in a conversation of its own.
 */
export function isDoctorCall({ conversation, calls, remote }: HookCall): boolean {
  const [call, ...more] = calls;
  if (remote !== undefined || call?.tool !== "bash" || more.length > 0) return false;
  if (call.arguments["command"] !== doctorCommand()) return false;
  // A link to nothing could lead to something later.
  if (lstatSync(key(), { throwIfNoEntry: false }) !== undefined) return false;
  return conversation.startsWith(DOCTOR_CONVERSATION);
}
