import { usageError } from "./command-error.ts";

const AGO = /^(\d{1,4})([hdw])$/;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?$/;
const HOUR_MS = 3_600_000;
const UNITS_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };

/** `12h`, `7d`, `2w` ago, or a date. Milliseconds since the epoch. @throws CommandError for anything else. */
export function sinceOf(text: string, now: number = Date.now()): number {
  const [, count = "", unit = ""] = AGO.exec(text) ?? [];
  const ago = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  const at = Number.isNaN(ago) || count === "" ? Date.parse(DATE.test(text) ? text : "") : now - ago;
  if (!Number.isNaN(at)) return at;
  throw usageError(
    `--since ${JSON.stringify(text)} is not a time, such as 12h, 7d, 2w or 2026-11-01.`,
    "Example: --since 7d",
  );
}
