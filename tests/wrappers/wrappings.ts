/** A text as one word that every shell reads the same: fish looks at backslashes in single quotes. */
export function quotedForAll(text: string): string {
  const parts = text.match(/[^'\\]+|'+|\\+/g) ?? [""];
  return parts
    .map((part) => {
      if (part.startsWith("'")) return `"${part}"`;
      return part.startsWith("\\") ? `"${part.replaceAll("\\", "\\\\")}"` : `'${part}'`;
    })
    .join("");
}

/** Ways to run a line that change nothing of what it runs. */
export const WRAPPINGS: Readonly<Record<string, (line: string) => string>> = {
  "bash -c": (line) => `bash -c ${quotedForAll(line)}`,
  "bash -euo pipefail -c": (line) => `/bin/bash -euo pipefail -c ${quotedForAll(line)}`,
  "env bash -c": (line) => `env bash -c ${quotedForAll(line)}`,
  "timeout bash -c": (line) => `timeout 60 bash -c ${quotedForAll(line)}`,
  "nohup bash -c": (line) => `nohup bash -c ${quotedForAll(line)}`,
  subshell: (line) => `( ${line}\n)`,
  "cd . &&": (line) => `cd . && ${line}`,
  env: (line) => `env ${line}`,
  timeout: (line) => `timeout 60 ${line}`,
  nohup: (line) => `nohup ${line}`,
};

/** Whether a sign before it, or a bracket behind it, makes nothing else of it, and it is no option of `bash -c`. */
export function isWhole(line: string): boolean {
  return /^[^\s#;&|)+-]/.test(line) && !/[\\&;|]\s*$|\\\n/.test(line);
}

const BUILTINS = new Set(
  (
    "cd command exit export set source . type wait eval exec alias unset read trap time for if while until case select " +
    "function coproc builtin declare local typeset readonly let shopt ulimit umask jobs history hash enable bind pushd " +
    "popd return break continue shift fg bg disown dirs getopts mapfile readarray fc complete compgen unalias times " +
    "then elif else fi do done esac in"
  ).split(" "),
);

/**
 * Whether it begins with the name of a program, so that it can stand behind `env` and the like: these start no builtin,
 * and a keyword behind them is the name of a program.
 */
export function beginsWithProgram(line: string): boolean {
  const name = /^[\w./-]+(?=[\s;&|<>]|$)/.exec(line)?.[0];
  return name !== undefined && !BUILTINS.has(name);
}
