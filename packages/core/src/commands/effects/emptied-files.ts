import type { SimpleCommand } from "../../contract/io/resolve-effects.ts";
import { bareName } from "../forms/command-forms.ts";
import { readFiles } from "./read-files.ts";

const NOTHING = "/dev/null";

/**
 * The files that a command leaves empty, as far as its words say: `truncate`, nothing that is copied or fed, and the
 * output of what prints nothing. What overwrites a file with something is a write.
 */
export function emptiedBy(command: SimpleCommand): readonly string[] {
  const { argv, redirects } = command;
  const bare = bareName(argv[0] ?? "");
  const written = printsNothing(command)
    ? redirects.filter(({ access }) => access === "write").map(({ path }) => path)
    : [];
  return [...written, ...(empties(bare, command) ? (readFiles(command)?.writes ?? []) : [])].filter(
    (path) => path !== NOTHING,
  );
}

function empties(bare: string, { argv, redirects }: SimpleCommand): boolean {
  const words = argv.slice(1);
  if (bare === "truncate") return !growsOnly(words);
  if (bare === "cp" || bare === "install") return words.includes(NOTHING);
  if (bare === "tee") return isFedNothing(redirects) && !words.some((word) => /^-[a-z]*a|^--ap/.test(word));
  if (bare === "dd") return words.includes(`if=${NOTHING}`) || isFedNothing(redirects);
  return bare === "sed" && words.some((word) => /^(?:[01],\$)?d$/.test(word));
}

function growsOnly(words: readonly string[]): boolean {
  return /(?:^| )(?:-[a-z]*s|--s[a-z]*[ =]) ?[+>]/.test(words.join(" "));
}

function isFedNothing(redirects: SimpleCommand["redirects"]): boolean {
  return redirects.some(({ access, path }) => access === "read" && path === NOTHING);
}

const SILENT: ReadonlySet<string> = new Set(["", ":", "true", "false"]);

function printsNothing({ argv, redirects }: SimpleCommand): boolean {
  const [name = "", ...words] = argv;
  if (SILENT.has(name)) return true;
  if (name === "echo" || name === "printf")
    return words.every((word) => word === "" || /^-[neE]+$/.test(word));
  return (
    name === "cat" && (words.length === 0 ? isFedNothing(redirects) : words.every((word) => word === NOTHING))
  );
}
