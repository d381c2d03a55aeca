const MOST = 4_096;
const LONGEST = 512;

/** The same function with a bounded memory: the targets of calls come again and again. */
export function remembered<Verdict extends object>(
  evaluate: (text: string) => Verdict,
): (text: string) => Verdict {
  const known = new Map<string, Verdict>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const verdict = evaluate(text);
    if (text.length > LONGEST) return verdict;
    if (known.size >= MOST) known.clear();
    known.set(text, verdict);
    return verdict;
  };
}
