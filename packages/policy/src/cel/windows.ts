const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 7 * 86_400_000;

/** `90s`, `15m`, `1h` or `7d` in milliseconds; `undefined` for anything else, and for more than a week. */
export function windowOf(text: string): number | undefined {
  const [, count = "0", unit = ""] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const windowMs = Number(count) * (UNITS[unit] ?? 0);
  return windowMs > 0 && windowMs <= LONGEST_MS ? windowMs : undefined;
}
