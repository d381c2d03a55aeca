/** The middle value; for an even count, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) throw new Error("median of nothing");
  if (sorted.length % 2 === 1) return upper;
  return (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** The median of per-round ratios: noise that hits both sides of a round cancels out. */
export function medianRatio(numerators: readonly number[], denominators: readonly number[]): number {
  const rounds = Math.min(numerators.length, denominators.length);
  const ratios = Array.from(
    { length: rounds },
    (_, round) => (numerators[round] ?? Number.NaN) / (denominators[round] ?? Number.NaN),
  );
  return median(ratios);
}

/** A number rounded to three significant digits. */
export function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
