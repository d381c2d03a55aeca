const OPTION = /(?<![\w<=./-])(?:--\[no-\][a-z][\w-]*|--?[A-Za-z0-9#?][\w.:-]*)/g;
/** Where the text about an option begins. */
const DESCRIPTION = / {2,}(?!-)|\t+(?!-)| : /;
const LISTED = /^(?:[-+]|\[-|\[?--)/;
const USAGE = /^(?:usage:|or:|git |\[)/i;

/** The options that a program lists in its help. What is only mentioned in a sentence is none. */
export function optionsInHelp(help: string): readonly string[] {
  const found = help.split("\n").flatMap((line) => {
    const text = line.trim();
    if (LISTED.test(text)) return optionsIn(text.split(DESCRIPTION)[0] ?? "");
    return USAGE.test(text)
      ? [...text.matchAll(/\[([^\]]*)/g)].flatMap(([, part = ""]) => optionsIn(part))
      : [];
  });
  return [...new Set(found)].filter((option) => !/^-{1,2}$|^-[A-Z]{2,}$|\.\.\./.test(option)).toSorted();
}

/** What stands for a value, as in `-n NUM` or `--color[=WHEN]`, is no part of the name. */
function optionsIn(text: string): readonly string[] {
  return [...text.matchAll(OPTION)].flatMap(([written]) => {
    const option = written.replace(/[.:-]+$/, "");
    const [, name] = /^--\[no-\](.+)$/.exec(option) ?? [];
    return name === undefined ? [option] : [`--${name}`, `--no-${name}`];
  });
}
