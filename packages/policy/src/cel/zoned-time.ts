import { closestName } from "@toolkeep/core/internal";

/** A time as clocks and calendars of a zone show it. */
interface ZonedTime {
  readonly hour: number;
  /** `09:30`. */
  readonly time: string;
  /** `mon` to `sun`. */
  readonly weekday: string;
  /** `2026-11-16`. */
  readonly date: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Why a time zone is unknown; `undefined` if it is known. */
export function zoneError(zone: string): string | undefined {
  try {
    formatOf(zone);
    return undefined;
  } catch {
    const near = closestName(zone, Intl.supportedValuesOf("timeZone"));
    return `There is no time zone ${JSON.stringify(zone)}.${near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`}`;
  }
}

/** @throws RangeError for an unknown zone. */
export function zonedTime(at: Date, zone: string): ZonedTime {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const { year = "", month = "", day = "", hour = "", minute = "", weekday = "" } = parts;
  return {
    hour: Number(hour),
    time: `${hour}:${minute}`,
    weekday: weekday.toLowerCase(),
    date: `${year}-${month}-${day}`,
  };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    weekday: "short",
  });
  formats.set(zone, format);
  return format;
}
