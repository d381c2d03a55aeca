/** What an act returns, and `undefined` where it throws: for what may fail in many ways that all mean the same. */
export function unlessThrown<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
