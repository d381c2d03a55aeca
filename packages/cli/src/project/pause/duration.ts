import { usageError } from "../../terminal/command-error.ts";
import { LONGEST_PAUSE_MS } from "./pauses.ts";

const DURATION = /^(?:(\d{1,3})h)?(?:(\d{1,4})m(?:in)?)?$/;
const MINUTE_MS = 60_000;

/** `30m`, `2h`, `1h30m` in milliseconds. @throws CommandError for anything else, and for more than a pause may last. */
export function durationOf(text: string): number {
  const [, hours = "0", minutes = "0"] = DURATION.exec(text) ?? [];
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  if (ms > 0 && ms <= LONGEST_PAUSE_MS) return ms;
  const most = `${LONGEST_PAUSE_MS / MINUTE_MS / 60}h`;
  throw usageError(
    ms > 0
      ? `A pause lasts at most ${most}.`
      : `${JSON.stringify(text)} is not a time, such as 30m, 2h or 1h30m.`,
    "Example: toolkeep pause 30m",
  );
}

/** How long until then, for people. */
export function minutesUntil(until: number, now: number = Date.now()): string {
  const minutes = Math.max(1, Math.ceil((until - now) / MINUTE_MS));
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}
