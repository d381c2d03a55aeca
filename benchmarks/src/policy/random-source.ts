/** Pseudorandom numbers from a seed. */
export interface RandomSource {
  /** A whole number from 0 to the limit, which is excluded. */
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

export function randomSource(seed: number): RandomSource {
  let state = seed >>> 0 || 1;
  function below(limit: number): number {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return Math.floor((state / 2 ** 32) * limit);
  }
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}
