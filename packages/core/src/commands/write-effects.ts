import { bareName } from "./command-forms.ts";

/** What a command writes and deletes among the files it is given. */
export interface Writes {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
}

const NOTHING: Writes = Object.freeze({ written: [], deleted: [] });

/**
 * The files that a few well-known commands write or delete, as far as their words say. Where an option is
 * not known, every operand may be meant. What any other program writes is unknown; that is for
 * the sandbox to contain.
 */
export function writesOf(argv: readonly string[]): Writes {
  const [name = "", ...words] = argv;
  const bare = bareName(name);
  const rule = Object.hasOwn(RULES, bare) ? RULES[bare] : undefined;
  return rule === undefined ? NOTHING : rule(takeApart(words));
}

interface Words {
  readonly operands: readonly string[];
  readonly options: readonly string[];
}

function takeApart(words: readonly string[]): Words {
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  const after = end < 0 ? [] : words.slice(end + 1);
  const isOption = (word: string) => word.startsWith("-") && word !== "-";
  return {
    operands: [...before.filter((word) => !isOption(word)), ...after],
    options: before.filter(isOption),
  };
}

type WriteRule = (words: Words) => Writes;

const writesAll: WriteRule = ({ operands }) => ({ written: operands, deleted: [] });
const deletesAll: WriteRule = ({ operands }) => ({ written: [], deleted: operands });
const copies: WriteRule = (words) => ({ written: targetsOf(words), deleted: [] });
const moves: WriteRule = (words) => ({
  written: targetsOf(words),
  deleted: namesNoTarget(words) ? words.operands.slice(0, -1) : words.operands,
});

const RULES: Readonly<Record<string, WriteRule>> = {
  tee: writesAll,
  touch: writesAll,
  mkdir: writesAll,
  truncate: writesAll,
  cp: copies,
  ln: copies,
  install: copies,
  rsync: copies,
  mv: moves,
  rm: deletesAll,
  rmdir: deletesAll,
  unlink: deletesAll,
  shred: deletesAll,
  dd: ({ operands }) => ({
    written: operands.filter((word) => word.startsWith("of=")).map((word) => word.slice(3)),
    deleted: [],
  }),
  // The first operand is the mode.
  chmod: ({ operands }) => ({ written: operands.slice(1), deleted: [] }),
  // The second operand is written.
  uniq: ({ operands }) => ({ written: operands.slice(1), deleted: [] }),
  sed: (words) => ({ written: editedBySed(words), deleted: [] }),
};

/** Options of these that name no file: with these alone the last operand is the target. */
const TARGETLESS =
  /^-[abdfHiLlnPpRrsTuvxz]+$|^--(?:archive|force|interactive|no-clobber|recursive|update|verbose|symbolic|parents)$/;

function namesNoTarget({ options }: Words): boolean {
  return options.every((option) => TARGETLESS.test(option));
}

/** The last one; or, where an option may have named the target, any of them and what stands in it. */
function targetsOf(words: Words): readonly string[] {
  const { operands, options } = words;
  const [target, ...sources] = operands.toReversed();
  if (namesNoTarget(words) && target !== undefined) {
    // The target may be a folder, in which the files keep their names.
    const inFolder = sources.map(
      (path) =>
        `${target.replace(/(?<!\/)\/+$/, "")}/${path
          .replace(/(?<!\/)\/+$/, "")
          .split("/")
          .at(-1)}`,
    );
    return [target, ...inFolder];
  }
  const inside = options
    .filter((option) => !TARGETLESS.test(option))
    .map((option) => option.replace(/^--[a-z-]+=|^-[a-z]/, ""))
    .filter((path) => path !== "");
  return [...operands, ...inside];
}

/** What is edited in its place: everything, unless the first operand is the program. */
function editedBySed({ operands, options }: Words): readonly string[] {
  if (!options.some((option) => /^-[A-Za-z]*i|^--in-place/.test(option))) return [];
  const hasProgram = options.some((option) => /^-[A-Za-z]*[ef]|^--(?:expression|file)/.test(option));
  return hasProgram ? operands : operands.slice(1);
}
