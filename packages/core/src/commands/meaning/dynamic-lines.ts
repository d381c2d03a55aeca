import { splitCommand } from "../../contract/call/effect.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import { remembered } from "../../file-names/remembered.ts";
import { isReachingProgram, namesAddress, reachOf } from "./command-reach.ts";

/**
 * Whether a line whose commands are not plain stays on this machine: every command that can be seen in it does, and
 * nothing in its text can run another one or gives a name another meaning. In doubt it does not.
 */
export function staysHere(line: string, effects: readonly CanonicalEffect[]): boolean {
  const seen = new Set<string>();
  for (const { capability, target } of effects) {
    if (capability !== "shell.run") continue;
    const { program, stays } = inLine(target);
    if (!stays) return false;
    seen.add(program);
  }
  // What is seen to stay may stand in the text, as `xargs` does with all that it runs.
  const { hides, fetches, reaching } = textOf(line);
  return seen.size > 0 && !hides && !fetches && reaching.every((word) => seen.has(word));
}

const inLine = remembered((target) => {
  const argv = splitCommand(target);
  return { program: argv[0] ?? "", stays: !reachOf(argv).leaves };
});

/** Text in which a command may stand that no parser shows, and settings that change what names mean. */
const HIDING =
  /\$'|\$"|\/dev\/(?:tcp|udp)|(?:^|[\s;&|(){}])(?:eval|source|\.|exec|command|builtin|enable|alias|shopt|set|trap|coproc|function|hash|bind|mapfile|readarray)(?=\s)|\(\s*\)|\{[^{}\s]*,[^{}]*\}|(?:^|[\s;&|(])(?:PATH|IFS|ENV|BASH\w*|SHELL\w*|PROMPT\w*|PS\d|LD_\w+|DYLD_\w+|GIT_\w+|\w*PAGER|\w*EDITOR|VISUAL|LESS\w*|NODE_\w+|PYTHON\w+|PERL\w+|RUBY\w+|RIPGREP\w*|GREP\w*)\+?=/;

const BETWEEN = /[\s;&|()`<>{}$=,:"'\\]+/;

/** Every word may be the program, unless all of them are known to be none that reaches out. */
const textOf = remembered((line) => {
  const joined = line.replaceAll(/["'\\]/g, "");
  const reaching = [...line.split(BETWEEN), ...joined.split(BETWEEN)].filter((word) =>
    isReachingProgram(word),
  );
  const fetches = reaching.some((word) => isReachingProgram(word, "fetches"));
  return { hides: HIDING.test(line), fetches, reaching };
});

/** Whether a line that is not plain names an address elsewhere, or a program that fetches. */
export function mentionsFetch(line: string): boolean {
  return mentions(line).is;
}

const mentions = remembered((line) => {
  const joined = line.replaceAll(/["'\\]/g, "");
  return {
    is: namesAddress(joined) || joined.split(BETWEEN).some((word) => isReachingProgram(word, "fetches")),
  };
});
