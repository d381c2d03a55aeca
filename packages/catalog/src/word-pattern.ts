/** A pattern of one word, in which `*` stands for any characters. */
export function patternOf(word: string): RegExp {
  const parts = word.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}
