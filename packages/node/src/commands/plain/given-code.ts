import type { SimpleCommand } from "@toolkeep/core/ports";
import type { PlainRedirect } from "./plain-redirect.ts";

/** Letters of the options that take code, by the program. */
const CODE_LETTERS: readonly (readonly [program: RegExp, letters: RegExp])[] = [
  [/^(?:node|nodejs|bun|tsx|ts-node)$/, /^-[a-zA-Z]*[ep]/],
  [/^(?:python[\d.]*|pypy[\d.]*)$/, /^-[a-zA-Z]*c/],
  [
    /^(?:perl[\d.]*|ruby[\d.]*|lua[\d.]*|luajit|rscript|osascript|julia|elixir|scala|groovy)$/i,
    /^-[a-zA-Z]*[eE]/,
  ],
  [/^php[\d.]*$/, /^-[a-zA-Z]*[rBRE]/],
  [/^(?:pwsh|powershell)$/i, /^-/],
  [/^(?:deno|tclsh|r)$/i, /^-[a-zA-Z]*e/],
];

const LONG_OPTIONS = /^--(?:eval|print|command|execute|exec)(?:=|$)/;
const QUESTIONS = /^(?:-v|-V|-h|--version|--help)$/;

interface Fed {
  readonly isPiped: boolean;
  readonly redirects: readonly PlainRedirect[];
}

/** Whether an interpreter gets its program on the command line or from its input: that is no command that words tell. */
export function isGivenCode({ argv }: Pick<SimpleCommand, "argv">, { isPiped, redirects }: Fed): boolean {
  const [name = "", ...args] = argv;
  const program = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const letters = CODE_LETTERS.find(([names]) => names.test(program))?.[1];
  if (letters === undefined) return false;
  const script = args.findIndex((arg) => !arg.startsWith("-") || arg === "-");
  const options = script === -1 ? args : args.slice(0, script);
  if (options.some((arg) => (arg.startsWith("--") ? LONG_OPTIONS.test(arg) : letters.test(arg)))) return true;
  if (args[script] === "-" || (program === "deno" && args[script] === "eval")) return true;
  const isFed = isPiped || redirects.some(({ operator }) => operator.startsWith("<"));
  if (script !== -1 || options.some((arg) => /^-m./.test(arg))) return false;
  return args.length === 0 || (isFed && !args.some((arg) => QUESTIONS.test(arg)));
}

/** Programs that only read what they are fed. */
const READING: ReadonlySet<string> = new Set(
  "cat tee wc grep egrep fgrep sort head tail tr cut uniq nl tac rev column fold md5sum sha1sum sha256sum base64 jq".split(
    " ",
  ),
);
const READING_SUBCOMMANDS = /^(?:git (?:commit|tag)|gh (?:pr|issue|release)) /;

/** Whether what is written in the line and fed to this command is only read. */
export function readsDocument(argv: readonly string[]): boolean {
  return READING.has(argv[0] ?? "") || READING_SUBCOMMANDS.test(`${argv.slice(0, 2).join(" ")} `);
}
