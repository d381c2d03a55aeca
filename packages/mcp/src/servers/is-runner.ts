import { basename } from "node:path";
import type { StdioServer } from "./server-entry.ts";

/** Programs that fetch a package and start it, with the subcommands that do so. Without any, they always do. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  pnpx: [],
  bunx: [],
  uvx: [],
  dnx: [],
  npm: ["exec", "x"],
  pnpm: ["dlx"],
  yarn: ["dlx"],
  bun: ["x"],
  pipx: ["run"],
  uv: ["tool"],
};
/** Programs that start the one that their arguments name. */
const WRAPPERS: ReadonlySet<string> = new Set(
  "env corepack cross-env nice nohup timeout stdbuf cmd command exec time".split(" "),
);
const SHELLS = /^(?:ba|z|k|da|a|fi)?sh$/;
const IN_SHELL =
  /(?:^|[\s;&|(/'"`])(?:npx|pnpx|bunx|uvx|dnx|dlx|pipx\s+run|uv\s+tool|npm\s+(?:exec|x)|python[\d.]*\s+-\S*m)(?=\s|$)/;
const FETCHED = /^(?:npm|jsr|https?):/;

/**
 * Whether a server is started by a program that looks for its code: a package runner, or `python -m`. They prefer code
 * and settings in the directory where they are started, so that must not be a project.
 */
export function isRunner({ command, args }: Pick<StdioServer, "command" | "args">): boolean {
  const words = unwrapped([command, ...args]);
  const after = words.indexOf("--");
  return startsOther(words) || (after !== -1 && startsOther(unwrapped(words.slice(after + 1))));
}

function startsOther([program = "", ...args]: readonly string[]): boolean {
  const name = nameOf(program);
  if (SHELLS.test(name)) return args.some((word) => IN_SHELL.test(word));
  if (/^(?:py|python[\d.]*|pypy[\d.]*)$/.test(name)) return isModule(args);
  if (name === "deno") return args.some((word) => FETCHED.test(word));
  const subcommands = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  if (subcommands === undefined || subcommands.length === 0) return subcommands !== undefined;
  return args.slice(0, MOST_OPTIONS).some((word) => subcommands.includes(word));
}

/** Options before a subcommand may have values. */
const MOST_OPTIONS = 8;

/** `-m`, alone or after other letters, before the first word that is no option. */
function isModule(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as string;
    if (/^-[A-Za-z]*m/.test(word)) return true;
    if (word === "-c" || !word.startsWith("-")) return false;
    if (word === "-W" || word === "-X") at += 1;
  }
  return false;
}

function unwrapped(words: readonly string[]): readonly string[] {
  let rest = words;
  while (rest.length > 1 && WRAPPERS.has(nameOf(rest[0] ?? ""))) {
    const at = rest.findIndex((word, index) => index > 0 && !/^(?:-|\/\w$|\w+=|\d+[smhd]?$)/.test(word));
    if (at === -1) return [];
    rest = rest.slice(at);
  }
  return rest;
}

function nameOf(program: string): string {
  return basename(program.replaceAll("\\", "/"))
    .toLowerCase()
    .replace(/\.(?:cmd|exe|ps1|bat)$/, "");
}
