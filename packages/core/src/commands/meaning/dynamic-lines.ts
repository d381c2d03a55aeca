import { splitCommand } from "../../contract/call/effect.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import { remembered } from "../../file-names/remembered.ts";
import { isLocalCommand, isReachingProgram, namesAddress } from "./command-reach.ts";

/**
 * Whether a line whose commands are not plain stays on this machine: every command that can be seen in it does, and
 * nothing in its text can run another one or gives a name another meaning. In doubt it does not.
 */
export function staysHere(line: string, effects: readonly CanonicalEffect[]): boolean {
  let commands = 0;
  for (const { capability, target } of effects) {
    if (capability !== "shell.run") continue;
    if (!isLocal(target).is) return false;
    commands += 1;
  }
  return commands > 0 && isQuiet(line).is;
}

const isLocal = remembered((target) => ({ is: isLocalCommand(splitCommand(target)) }));

/** Text in which a command may stand that no parser shows, and settings that change what names mean. */
const HIDING =
  /\$'|\$"|\/dev\/(?:tcp|udp)|(?:^|[\s;&|(){}])(?:eval|source|\.|exec|command|builtin|enable|alias|shopt|set|trap|coproc|function|hash|bind|mapfile|readarray)(?=\s)|\(\s*\)|\{[^{}\s]*,[^{}]*\}|(?:^|[\s;&|(])(?:PATH|IFS|ENV|BASH\w*|SHELL\w*|PROMPT\w*|PS\d|LD_\w+|DYLD_\w+|GIT_\w+|\w*PAGER|\w*EDITOR|VISUAL|LESS\w*|NODE_\w+|PYTHON\w+|PERL\w+|RUBY\w+|RIPGREP\w*|GREP\w*)\+?=/;

const BETWEEN = /[\s;&|()`<>{}$=,:"'\\]+/;

/** Every word may be the program, unless all of them are known to be none that reaches out. */
const isQuiet = remembered((line) => {
  const joined = line.replaceAll(/["'\\]/g, "");
  const words = [...line.split(BETWEEN), ...joined.split(BETWEEN)];
  return { is: !HIDING.test(line) && !words.some((word) => isReachingProgram(word)) };
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
