import { CommandError, EXIT } from "./command-error.ts";

const TIME = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** A point in time, in UTC unless it names another zone. Milliseconds since the epoch. @throws CommandError */
export function timeOf(text: string): number {
  const [, date = "", time = "00:00", zone = "Z"] = TIME.exec(text) ?? [];
  const at = Date.parse(`${date}T${time}${zone}`);
  // A day that its month does not have would be one of the next month.
  const isDay = !Number.isNaN(at) && new Date(Date.parse(`${date}T00:00Z`)).toISOString().startsWith(date);
  if (isDay) return at;
  throw new CommandError(`--at ${JSON.stringify(text)} is not a time.`, {
    exit: EXIT.usage,
    hint: "Write a date, or a date and a time, in UTC or with a zone: 2026-12-24, 2026-12-24T18:30Z, 2026-12-24T18:30+01:00.",
  });
}
