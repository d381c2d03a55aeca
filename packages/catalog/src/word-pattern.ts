/** Words of one form. */
export interface WordPattern {
  test(word: string): boolean;
}

/** A pattern of one word, in which `*` stands for any characters. Its time grows no faster than the word. */
export function patternOf(pattern: string): WordPattern {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return { test: (word) => word === pattern };
  return {
    test(word) {
      if (!word.startsWith(first)) return false;
      let from = first.length;
      for (const part of rest) {
        const at = word.indexOf(part, from);
        if (at === -1) return false;
        from = at + part.length;
      }
      return word.length >= from + last.length && word.endsWith(last);
    },
  };
}
