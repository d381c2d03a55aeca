interface Matching<Unit> {
  /** Whether the unit stands for any number of parts, also none. */
  isRun(unit: Unit): boolean;
  /** Whether another unit stands for this part. */
  fits(unit: Unit, part: string): boolean;
}

/** Whether the units of a pattern match all parts of a text, in order. It goes back at most to the last run. */
export function meetsAll<Unit>(
  units: readonly Unit[],
  parts: readonly string[],
  { isRun, fits }: Matching<Unit>,
): boolean {
  const isRunAt = (index: number) => index < units.length && isRun(units[index] as Unit);
  let [at, unit, run, resume] = [0, 0, -1, 0];
  while (at < parts.length) {
    if (isRunAt(unit)) {
      run = unit;
      resume = at;
      unit += 1;
    } else if (unit < units.length && fits(units[unit] as Unit, parts[at] as string)) {
      at += 1;
      unit += 1;
    } else if (run >= 0) {
      resume += 1;
      at = resume;
      unit = run + 1;
    } else return false;
  }
  while (isRunAt(unit)) unit += 1;
  return unit === units.length;
}
