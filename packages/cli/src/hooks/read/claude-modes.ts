import type { Environment } from "../../clients/hook-call.ts";
import { type Manners, UNKNOWN_MODE } from "../../clients/manners.ts";
import { type Fields, textIn } from "../../clients/payload.ts";

/**
 * Claude Code's modes, as its version 2.1.325 was seen to treat the answers of a hook on 15 November 2026: an `ask` is a
 * dialog in every mode at a terminal and a refusal without one, an `allow` skips the classifier of `auto`, and it is
 * not enough in `plan`. Older versions were reported to approve an `ask` by themselves in `bypassPermissions`, so what
 * must not happen unasked is denied there.
 */
const MODES: Readonly<Record<string, Partial<Manners>>> = {
  default: { asks: "calls" },
  acceptEdits: { asks: "calls-but-edits" },
  plan: { asks: "calls", isReadOnly: true },
  auto: { isMildLeft: true },
  bypassPermissions: { hasPerson: false, isMildLeft: true },
  dontAsk: { asks: "calls", hasPerson: false, refusesAsks: true },
};

/** The mode of a payload. Without a terminal the client says so in the environment of its hooks. */
export function claudeManners(payload: Fields, environment: Environment): Manners {
  const mode = textIn(payload, "permission_mode") ?? UNKNOWN_MODE.mode;
  const known = Object.hasOwn(MODES, mode) ? MODES[mode] : {};
  const isAttended = environment["CLAUDE_CODE_SESSION_ATTENDED"] !== "0";
  const manners = { ...UNKNOWN_MODE, mode, ...known };
  return isAttended ? manners : { ...manners, hasPerson: false };
}
