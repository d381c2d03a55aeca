import type { ClientMode } from "../../clients/client-mode.ts";

/**
 * Claude Code's modes, as its version 2.1.325 was seen to treat the answers of a hook on 15 November 2026: an `ask` is a
 * dialog in every mode at a terminal and a refusal without one, an `allow` skips the classifier of `auto`, and it is
 * not enough in `plan`. Older versions were reported to approve an `ask` by themselves in `bypassPermissions`, so what
 * must not happen unasked is denied there.
 */
export const MODES: Readonly<Record<string, Partial<ClientMode>>> = {
  default: { asks: "calls" },
  acceptEdits: { asks: "calls-but-edits" },
  plan: { asks: "calls", isReadOnly: true },
  auto: { isMildLeft: true },
  bypassPermissions: { hasPerson: false, isMildLeft: true },
  dontAsk: { asks: "calls", hasPerson: false, refusesAsks: true },
};
