/** What a command writes and deletes among the files it is given. */
export interface Writes {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
}

const NOTHING: Writes = Object.freeze({ written: [], deleted: [] });

/**
 * The files that a few well-known commands write or delete, as far as their words say. Of any other
 * program nobody knows what it writes; that is for walls to hold.
 */
export function writesOf(argv: readonly string[]): Writes {
  const [name = "", ...words] = argv;
  const bare = name.slice(name.lastIndexOf("/") + 1);
  const rule = Object.hasOwn(RULES, bare) ? RULES[bare] : undefined;
  return rule === undefined ? NOTHING : rule(operandsOf(words), words);
}

type WriteRule = (operands: readonly string[], words: readonly string[]) => Writes;

const writesAll: WriteRule = (written) => ({ written, deleted: [] });
const deletesAll: WriteRule = (deleted) => ({ written: [], deleted });
const writesLast: WriteRule = (operands, words) => ({ written: targetOf(operands, words), deleted: [] });

const RULES: Readonly<Record<string, WriteRule>> = {
  tee: writesAll,
  touch: writesAll,
  mkdir: writesAll,
  truncate: writesAll,
  cp: writesLast,
  ln: writesLast,
  install: writesLast,
  rsync: writesLast,
  mv: (operands, words) => ({ written: targetOf(operands, words), deleted: operands.slice(0, -1) }),
  rm: deletesAll,
  rmdir: deletesAll,
  unlink: deletesAll,
  shred: deletesAll,
  dd: (_operands, words) => ({
    written: words.filter((word) => word.startsWith("of=")).map((word) => word.slice(3)),
    deleted: [],
  }),
  // The program comes first; what follows is edited in its place.
  sed: (operands, words) => ({
    written: words.some((word) => /^(?:-[A-Za-z]*i|--in-place)/.test(word)) ? operands.slice(1) : [],
    deleted: [],
  }),
};

function operandsOf(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  if (end < 0) return words.filter((word) => !word.startsWith("-"));
  return [...words.slice(0, end).filter((word) => !word.startsWith("-")), ...words.slice(end + 1)];
}

/** The last one, or the folder that an option names. */
function targetOf(operands: readonly string[], words: readonly string[]): readonly string[] {
  const named = words.flatMap((word, index) => {
    if (word === "-t" || word === "--target-directory") return words.slice(index + 1, index + 2);
    return /^--target-directory=./.test(word) ? [word.slice(word.indexOf("=") + 1)] : [];
  });
  return named.length > 0 ? named : operands.slice(-1);
}
