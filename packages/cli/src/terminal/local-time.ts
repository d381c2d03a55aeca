const DATE_LENGTH = "2026-11-18".length;

/** A time for people, where they are: the time of a call of today, otherwise the date and the minute. */
export function localTime(at: number, now: number = Date.now()): string {
  // The locale writes dates as ISO 8601 does, but of the local time.
  const [text, today] = [at, now].map((one) => new Date(one).toLocaleString("sv-SE"));
  if (text === undefined || today === undefined) return "";
  return text.slice(0, DATE_LENGTH) === today.slice(0, DATE_LENGTH)
    ? text.slice(DATE_LENGTH + 1)
    : text.slice(0, -":00".length);
}
