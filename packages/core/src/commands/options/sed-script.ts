const PART = String.raw`(?:(?!\1)[^\\\n]|\\[^\n])*`;
const SUBSTITUTION = String.raw`s([/|#,@])${PART}\1${PART}\1[gpiI\d]*`;
const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])+/)`;
/** The end of a range may be a number of lines. */
const LINES = `(?:${ADDRESS}(?:,(?:${ADDRESS}|\\+\\d+))?)?`;
const COMMAND = new RegExp(`^\\s*${LINES}\\s*(?:[pdq=]|${SUBSTITUTION})\\s*(?:;|$)`);
/** Shells and versions of sed differ in where a set in brackets ends. */
const SET = /\[\^?[^\]\\[/|#,@;]+\]/g;

/** Whether a program for sed only prints, deletes and replaces lines: no `w`, no `e`, no `r`. */
export function isHarmlessSedScript(script: string): boolean {
  let rest = script.replaceAll(SET, "x");
  if (rest === "" || /\[/.test(rest)) return false;
  while (rest !== "") {
    const [command = ""] = COMMAND.exec(rest) ?? [];
    if (command === "") return false;
    rest = rest.slice(command.length);
  }
  return true;
}
