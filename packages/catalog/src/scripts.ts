import { isHarmlessSed } from "./sed-script.ts";

/* Small programs that are given as an operand: whether they only look at their input and print. */

/** Languages of small programs that stand among the args of a command. */
export type ScriptKind = "sed" | "awk" | "jq";

/** Whether a program surely neither opens, writes nor runs anything. */
export function proves(kind: ScriptKind, script: string): boolean {
  if (kind === "sed") return isHarmlessSed(script);
  return kind === "awk" ? isHarmlessAwk(script) : isHarmlessJq(script);
}

/** Neither shows the environment nor takes in a file of its own. */
function isHarmlessJq(filter: string): boolean {
  const code = filter.replaceAll(JQ_TEXT, '""');
  return filter !== "" && !JQ_REACHES.test(code);
}

/** They show the environment, take in a file or run something, in jq or in a program like it. */
const JQ_REACHES =
  /(?<![.\w])env\b|ENV\b|\b(?:import|include|modulemeta|input_filename)\b|(?<![.\w])(?:strenv|envsubst|load\w*|system|eval)\b|\$__/;
/** A text in which nothing is computed. */
const JQ_TEXT = /"(?:[^"\\]|\\[^(])*"/g;

const AWK_TOKEN =
  /(?<space>[ \t\r\\]+|#[^\n]*)|(?<text>"(?:[^"\\\n]|\\[^\n])*")|(?<word>[A-Za-z_]\w*)|(?<number>[\d.]+)|(?<mark>\|\||&&|[<>=!~+*%^-]=|.|\n)/gsy;
/** They open, run or name something, or show the environment. */
const AWK_REACHES =
  /^(?:getline|system|close|fflush|ENVIRON|PROCINFO|ARGV|ARGC|SYMTAB|FUNCTAB|extension|function|func|namespace|include|load)$/;
/** After these words a `/` may begin an expression. */
const AWK_KEYWORDS = /^(?:print|printf|return|in|case|else|do|delete|exit|next|if|while|for)$/;

/** It computes and prints: no redirection, no pipe, no call of something else. */
function isHarmlessAwk(program: string): boolean {
  let rest = program;
  let last = "";
  let depth = 0;
  let isPrinting = false;
  while (rest !== "") {
    if (rest.startsWith("/") && !/^(?:[\w.$)\]"]|\+\+|--)/.test(last)) {
      const expression = /^\/(?:[^/\\\n[]|\\[^\n]|\[\^?[^\]/\\\n[]+\])+\//.exec(rest)?.[0];
      if (expression === undefined) return false;
      [rest, last] = [rest.slice(expression.length), "x"];
      continue;
    }
    AWK_TOKEN.lastIndex = 0;
    const found = AWK_TOKEN.exec(rest);
    const token = found?.[0] ?? "";
    if (token === "") return false;
    rest = rest.slice(token.length);
    if (found?.groups?.["space"] !== undefined) continue;
    if (found?.groups?.["word"] !== undefined) {
      if (AWK_REACHES.test(token)) return false;
      if (AWK_KEYWORDS.test(token) && /^\s*\//.test(rest)) return false;
      if (token === "print" || token === "printf") [isPrinting, depth] = [true, 0];
    } else if (token === "|" || token === "@" || token === '"' || token === "`") return false;
    else if (token === "(") depth += 1;
    else if (token === ")") depth -= 1;
    else if (/^[;}\n]$/.test(token)) isPrinting = false;
    else if (token.startsWith(">") && isPrinting && depth <= 0) return false;
    last = token;
  }
  return program.trim() !== "";
}
