/** Two sequences of units in which some stand for any number of units. */
export interface Meeting<One, Other> {
  /** Whether the unit stands for any number of units that it meets, none included. */
  oneRuns(unit: One): boolean;
  otherRuns(unit: Other): boolean;
  /** Whether both units can stand for the same. */
  meets(one: One, other: Other): boolean;
}

/** Whether both sequences can stand for the same. Takes time linear in one times the other. */
export function sequencesMeet<One, Other>(
  one: ArrayLike<One>,
  other: ArrayLike<Other>,
  { oneRuns, otherRuns, meets }: Meeting<One, Other>,
): boolean {
  // `reached[at]`: what was read of `one` can stand for the first `at` of `other`.
  let reached = new Uint8Array(other.length + 1);
  reached[0] = 1;
  for (let at = 0; at < other.length && otherRuns(other[at] as Other); at += 1) reached[at + 1] = 1;
  for (let index = 0; index < one.length; index += 1) {
    const unit = one[index] as One;
    const runs = oneRuns(unit);
    const next = new Uint8Array(other.length + 1);
    let isAlive = false;
    for (let at = 0; at <= other.length; at += 1) {
      if (reached[at] === 1) {
        if (runs) next[at] = 1;
        if (at < other.length && meets(unit, other[at] as Other)) {
          next[at + 1] = 1;
          if (otherRuns(other[at] as Other)) next[at] = 1;
        }
      }
      if (next[at] !== 1) continue;
      isAlive = true;
      if (at === other.length) continue;
      if (otherRuns(other[at] as Other) || (runs && meets(unit, other[at] as Other))) next[at + 1] = 1;
    }
    if (!isAlive) return false;
    reached = next;
  }
  return reached[other.length] === 1;
}
