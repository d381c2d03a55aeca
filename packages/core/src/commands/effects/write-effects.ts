import { bareName } from "../forms/command-forms.ts";
import { takeApart, type Words } from "./command-operands.ts";

/** What a command writes and deletes among the files it is given. */
export interface Writes {
  readonly written: readonly string[];
  /** What is written if the target turns out to be a folder. */
  readonly inFolder: readonly string[];
  readonly deleted: readonly string[];
  /** What is no longer where it was, and is kept at one of those that are written. */
  readonly moved: readonly string[];
}

const NOTHING: Writes = Object.freeze({ written: [], inFolder: [], deleted: [], moved: [] });

/**
 * The files that a few well-known commands write or delete, as far as their words say. Where an option is
 * not known, every operand may be meant. What any other program writes is unknown; that is for
 * the sandbox to contain.
 */
export function writesOf(argv: readonly string[]): Writes {
  const [name = "", ...words] = argv;
  const bare = bareName(name);
  if (bare === "find") return ofFind(words);
  const rule = Object.hasOwn(RULES, bare) ? RULES[bare] : undefined;
  return rule === undefined ? NOTHING : { ...NOTHING, ...rule.files(takeApart(words, rule.valued)) };
}

/** Options of sort that take a value; `-o` names the file that is written. */
export const SORT_OPTIONS =
  "-o -k -t -S -T --output --key --field-separator --buffer-size --temporary-directory --compress-program --files0-from";

interface WriteRule {
  /** Options whose value is no file that is written, or is told apart by `files`. */
  readonly valued?: string;
  readonly files: (words: Words) => Partial<Writes>;
}

const writesAll = ({ operands }: Words) => ({ written: operands });
const deletesAll = ({ operands }: Words) => ({ deleted: operands });
/** What goes elsewhere than to a file is lost. */
const moves = (words: Words) => {
  const sources = namesNoTarget(words) ? words.operands.slice(0, -1) : words.operands;
  const isKept = namesNoTarget(words) && !/^\/(?:dev|proc|sys)(?:\/|$)/.test(words.operands.at(-1) ?? "");
  return { ...targetsOf(words), ...(isKept ? { moved: sources } : { deleted: sources }) };
};

const RULES: Readonly<Record<string, WriteRule>> = {
  tee: { files: writesAll },
  touch: { valued: "-d -t -r --date --reference --time", files: writesAll },
  mkdir: { valued: "-m --mode", files: writesAll },
  truncate: { valued: "-s -r --size --reference", files: writesAll },
  cp: { files: targetsOf },
  ln: { files: targetsOf },
  install: { valued: "-m -o -g --mode --owner --group", files: ofInstall },
  rsync: { files: targetsOf },
  mv: { files: moves },
  rm: { files: deletesAll },
  rmdir: { files: deletesAll },
  unlink: { files: deletesAll },
  shred: { valued: "-n -s --iterations --size --random-source", files: deletesAll },
  dd: {
    files: ({ operands }) => ({
      written: operands.filter((word) => word.startsWith("of=")).map((word) => word.slice(3)),
    }),
  },
  // The first operand is the mode.
  chmod: { files: ({ operands }) => ({ written: operands.slice(1) }) },
  // The second operand is written.
  uniq: { valued: "-f -s -w", files: ({ operands }) => ({ written: operands.slice(1) }) },
  sed: { files: (words) => ({ written: editedBySed(words) }) },
  sort: { valued: SORT_OPTIONS, files: ({ values }) => ({ written: outputsOf(values) }) },
};

function outputsOf(values: Words["values"]): readonly string[] {
  return values.filter(([option]) => option === "-o" || option === "--output").map(([, path]) => path);
}

/** Folders with `-d`, otherwise as a copy. */
function ofInstall(words: Words): Partial<Writes> {
  const makesFolders = words.options.some(
    (option) => /^-[a-zA-Z]*d/.test(option) || option === "--directory",
  );
  if (makesFolders) return { written: words.operands };
  const options = words.options.filter(
    (option) => !/^-[mogpvDCbsc]/.test(option) && !/^--(?:mode|owner|group)/.test(option),
  );
  return targetsOf({ ...words, options });
}

/** Options of these that name no file: with these alone the last operand is the target. */
const TARGETLESS =
  /^-[abdfHiLlnPpRrsTuvxz]+$|^--(?:archive|force|interactive|no-clobber|recursive|update|verbose|symbolic|parents)$/;

function namesNoTarget({ options }: Words): boolean {
  return options.every((option) => TARGETLESS.test(option));
}

/** The last one; or, where an option may have named the target, any of them and what stands in it. */
function targetsOf(words: Words): Partial<Writes> {
  const { operands, options } = words;
  const [target, ...sources] = operands.toReversed();
  if (namesNoTarget(words) && target !== undefined) {
    const folder = withoutSlash(target);
    // In a folder the files keep their names.
    const inFolder = sources.map((path) => `${folder}/${withoutSlash(path).split("/").at(-1)}`);
    const isFolder = sources.length > 1 || target.endsWith("/") || /(?:^|\/)\.\.?$/.test(target);
    return isFolder ? { written: [target, ...inFolder] } : { written: [target], inFolder };
  }
  const inside = options
    .filter((option) => !TARGETLESS.test(option))
    .map((option) => option.replace(/^--[a-z-]+=|^-[a-z]/, ""))
    .filter((path) => path !== "");
  return { written: [...operands, ...inside] };
}

function withoutSlash(path: string): string {
  return path.replace(/(?<!\/)\/+$/, "");
}

/** What is edited in its place: everything, unless the first operand is the program. */
function editedBySed({ operands, options }: Words): readonly string[] {
  if (!options.some((option) => /^-[A-Za-z]*i|^--in-place/.test(option))) return [];
  const hasProgram = options.some((option) => /^-[A-Za-z]*[ef]|^--(?:expression|file)/.test(option));
  return hasProgram ? operands : operands.slice(1);
}

const FIND_FILES = /^-(?:fprint0?|fprintf|fls)$/;

/** Where it begins, if it deletes; and the files that its tests print to. */
function ofFind(words: readonly string[]): Writes {
  const written = words.filter((_word, index) => FIND_FILES.test(words[index - 1] ?? ""));
  if (!words.includes("-delete")) return { ...NOTHING, written };
  const start = words.findIndex((word) => !/^-(?:[HLPEsx]|O\d)$/.test(word));
  const places = words.slice(Math.max(start, 0));
  const end = places.findIndex((word) => /^[-(!]/.test(word));
  const deleted = places.slice(0, end === -1 ? places.length : end);
  return { ...NOTHING, written, deleted: deleted.length === 0 ? ["."] : deleted };
}
