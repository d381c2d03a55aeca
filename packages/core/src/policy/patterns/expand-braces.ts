export const MOST_ALTERNATIVES = 256;

/** Every text that one with alternatives (`{a,b}`) stands for; `undefined` where they are too many. */
export function expandBraces(pattern: string): readonly string[] | undefined {
  if (!pattern.includes("{")) return [pattern];
  let open: readonly string[] = [pattern];
  const done: string[] = [];
  while (open.length > 0) {
    const next: string[] = [];
    for (const one of open) {
      const choice = firstChoice(one);
      if (choice === undefined) done.push(one);
      else next.push(...choice);
      if (next.length + done.length > MOST_ALTERNATIVES) return undefined;
    }
    open = next;
  }
  return done;
}

/** One pass: a regular expression would go back over what a hostile text repeats. */
function firstChoice(text: string): readonly string[] | undefined {
  let start = -1;
  let isChoice = false;
  for (let index = text.indexOf("{"); index >= 0 && index < text.length; index += 1) {
    const char = text[index];
    if (char === "{") {
      start = index;
      isChoice = false;
    } else if (char === ",") isChoice = true;
    else if (char === "}") {
      if (start >= 0 && isChoice) return chosen(text, start, index);
      start = -1;
    }
  }
  return undefined;
}

function chosen(text: string, start: number, end: number): readonly string[] {
  const [before, after] = [text.slice(0, start), text.slice(end + 1)];
  return text
    .slice(start + 1, end)
    .split(",")
    .map((part) => join(join(before, part), after));
}

/** Two `*` that come together here are one: only a `**` that was written as such means more. */
function join(one: string, other: string): string {
  return one.endsWith("*") && other.startsWith("*") ? one + other.slice(1) : one + other;
}
