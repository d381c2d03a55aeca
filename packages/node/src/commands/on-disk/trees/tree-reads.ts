import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import { textAt } from "../../../files/entries.ts";
import { namePattern } from "../../../git/name-pattern.ts";
import { hasOption, type TakenArgs, takeArgs, valuesOf } from "../names/take-args.ts";

/** Trees that a command reads: what is in them is read although no arg names it. */
export interface TreeRead {
  /** As they are in the args; none if no arg names one. */
  readonly folders: readonly string[];
  readonly skipsHidden: boolean;
  readonly skipsIgnored: boolean;
  /** It is git that searches: it knows git's own ignore files alone. */
  readonly isGit?: boolean;
  /** Whether an ignored entry of this name is read all the same, because a glob asks for it. In doubt it is. */
  bringsBack?(name: string, isFolder: boolean): boolean;
  readonly followsLinks: boolean;
  /** Whether a file of this name is read. In doubt it is. */
  readsFile(name: string): boolean;
  /** Whether a folder of this name is entered. In doubt it is. */
  entersFolder(name: string): boolean;
  /** Files that are excluded by their path from the working directory. */
  readonly without: ReadonlySet<string>;
}

/** What a command reads of trees; `undefined` where it reads none. */
export function treeReadOf(argv: readonly string[]): TreeRead | undefined {
  const [name = "", ...args] = argv;
  const bare = name.slice(name.lastIndexOf("/") + 1);
  const reading = Object.hasOwn(READINGS, bare) ? READINGS[bare] : undefined;
  return reading?.(args);
}

type Reading = (args: readonly string[]) => TreeRead | undefined;

/** All of it, as it is. */
export const WHOLE_TREE = {
  skipsHidden: false,
  skipsIgnored: false,
  followsLinks: false,
  readsFile: () => true,
  entersFolder: () => true,
  without: new Set<string>(),
};

const grep: Reading = (args) => {
  const taken = takeArgs(args, PROGRAM_KINDS.searchValues.grep);
  const follows = hasOption(taken, "R", "dereference-recursive");
  const isRecursive =
    follows ||
    hasOption(taken, "r", "recursive") ||
    valuesOf(taken, "d", "directories").includes("recurse") ||
    // Any unambiguous prefix is accepted.
    taken.options.some(({ name }) => /^(?:rec|der)/.test(name));
  if (!isRecursive) return undefined;
  const closed = valuesOf(taken, "exclude-dir").map(strictly);
  return {
    ...WHOLE_TREE,
    folders: placesOf(taken, "e", "f", "regexp", "file"),
    followsLinks: follows,
    readsFile: lastOfGrep(taken),
    entersFolder: (name) => !closed.some((fits) => fits(name)),
  };
};

/** The last include or exclude that matches a name applies; a name that none matches is read unless the first includes. */
function lastOfGrep({ options }: TakenArgs): (name: string) => boolean {
  const spoken = options.flatMap(({ name, value = "" }) => {
    if (name === "include") return [{ reads: true, fits: loosely(value) }];
    return name === "exclude" ? [{ reads: false, fits: strictly(value) }] : [];
  });
  return (name) => spoken.findLast(({ fits }) => fits(name))?.reads ?? spoken[0]?.reads !== true;
}

/** After the pattern there are paths. */
function placesOf(taken: TakenArgs, ...given: readonly string[]): readonly string[] {
  return hasOption(taken, ...given) ? taken.operands : taken.operands.slice(1);
}

const rg: Reading = (given) => {
  const taken = takeArgs([...configured(), ...given], PROGRAM_KINDS.searchValues.rg);
  if (hasOption(taken, "files", "type-list", "version", "help", "V")) return undefined;
  const unrestricted = taken.options.filter(({ name }) => name === "u" || name === "unrestricted").length;
  const globs = valuesOf(taken, "g", "glob", "iglob");
  const chosen = globs.filter((glob) => !glob.startsWith("!"));
  // The last glob applies, so one that includes may bring back what another excludes.
  const dropped =
    chosen.length > 0
      ? []
      : globs.filter((glob) => glob.startsWith("!")).flatMap((glob) => alternativesIn(glob.slice(1)));
  const fits = chosen.map((glob) => loosely(glob.slice(glob.lastIndexOf("/") + 1)));
  const drops = dropped.filter((glob) => !glob.includes("/")).map(strictly);
  const names = chosen.flatMap(segmentsOf).map(loosely);
  return {
    ...WHOLE_TREE,
    folders: placesOf(taken, "e", "f", "regexp", "file"),
    // A glob that is asked for also brings what is hidden or ignored, and folders whose names it matches.
    skipsHidden: unrestricted < 2 && chosen.length === 0 && !hasOption(taken, "hidden", "."),
    skipsIgnored: unrestricted < 1 && !taken.options.some(({ name }) => /^no-ignore/.test(name)),
    bringsBack: (name, isFolder) => chosen.length > 0 && (!isFolder || names.some((one) => one(name))),
    followsLinks: hasOption(taken, "L", "follow"),
    readsFile: (name) =>
      (fits.length === 0 || fits.some((one) => one(name))) && !drops.some((one) => one(name)),
    entersFolder: (name) => !drops.some((one) => one(name)),
    without: new Set(dropped.filter((glob) => PLAIN_PATH.test(glob)).map((glob) => glob.replace(/^\//, ""))),
  };
};

/** Options that the user's environment adds to every search: one on each line. */
function configured(): readonly string[] {
  const file = process.env["RIPGREP_CONFIG_PATH"] ?? "";
  const lines = (file === "" ? "" : (textAt(file) ?? "")).split("\n").map((line) => line.trim());
  return lines.filter((line) => line.startsWith("-"));
}

/** `{a,b}` as a and b. */
function alternativesIn(glob: string): readonly string[] {
  const [whole, before = "", inner = "", after = ""] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(glob) ?? [];
  return whole === undefined ? [glob] : inner.split(",").map((one) => `${before}${one}${after}`);
}

/** The names in a glob that a folder may have. `**` before a name stands for folders that the glob does not ask for. */
function segmentsOf(glob: string): readonly string[] {
  const segments = glob.split("/").filter((one) => one !== "");
  return segments.filter((one, index) => one !== "**" || index === segments.length - 1);
}

/** With a slash at its beginning or within, it is a path from where the search begins. */
const PLAIN_PATH = /^\/?[\w.@+-]+(?:\/[\w.@+-]+)*$/;

/** Copies and comparisons of whole trees. */
function copying(
  letters: string,
  names: string,
  directories: (operands: readonly string[]) => readonly string[],
): Reading {
  return (args) => {
    const taken = takeArgs(args, { letters, names });
    const isWhole = hasOption(taken, "r", "R", "a", "recursive", "archive");
    return isWhole ? { ...WHOLE_TREE, folders: directories(taken.operands) } : undefined;
  };
}

/** What is moved is read under its new name afterwards, where no rule on the old one applies. */
const mv: Reading = (args) => {
  const taken = takeArgs(args, { letters: "tS", names: "target-directory suffix" });
  const isNamed = hasOption(taken, "t", "target-directory");
  return { ...WHOLE_TREE, folders: isNamed ? taken.operands : taken.operands.slice(0, -1) };
};

const archive: Reading = (args) => {
  const [first = "", ...rest] = args;
  const taken = takeArgs([first.startsWith("-") ? first : `-${first}`, ...rest], {
    letters: "fCTX",
    names: "file directory files-from exclude",
  });
  return hasOption(taken, "c", "r", "u", "create", "append", "update")
    ? { ...WHOLE_TREE, folders: taken.operands }
    : undefined;
};

/** Lists of names that follow links: no content is shown, but outside the roots even names need permission. */
function listing(isFollowing: (taken: TakenArgs) => boolean): Reading {
  return (args) => {
    const taken = takeArgs(args, { letters: "ITwdtBP", names: "" });
    const names = { ...WHOLE_TREE, folders: taken.operands, followsLinks: true, readsFile: () => false };
    return isFollowing(taken) ? names : undefined;
  };
}

const find: Reading = (args) => {
  const followsLinks = args.some((arg) => arg === "-L" || arg === "-follow");
  const opens = runsOnFiles(args);
  if (!followsLinks && !opens) return undefined;
  const directories = args.filter((arg) => !/^-[HLP]$/.test(arg));
  const end = directories.findIndex((arg) => /^[-(!]/.test(arg));
  const folders = end === -1 ? directories : directories.slice(0, end);
  return { ...WHOLE_TREE, folders, followsLinks, readsFile: opens ? namedByFind(args) : () => false };
};

/** Programs that show the names of what they are given, and nothing of its content. */
const NAMING = wordsIn(PROGRAM_KINDS.namingTrees);

/** Whether a program is run that may open what is found. */
function runsOnFiles(args: readonly string[]): boolean {
  return args.some(
    (arg, index) =>
      /^-(?:exec|ok)(?:dir)?$/.test(arg) && !NAMING.has(args[index + 1] ?? "") && args[index + 1] !== "rm",
  );
}

/** The names that a test demands, where nothing in the expression makes an exception. */
function namedByFind(args: readonly string[]): (name: string) => boolean {
  if (args.some((arg) => /^(?:!|-not|-o|-or|,|\(|\\\()$/.test(arg))) return () => true;
  const tests = args.flatMap((arg, index) => {
    const value = args[index + 1] ?? "";
    if (arg === "-name") return [loosely(value)];
    return arg === "-iname" ? [loosely(/[a-z]/i.test(value) ? "*" : value)] : [];
  });
  return (name) => tests.every((fits) => fits(name));
}

const READINGS: Readonly<Record<string, Reading>> = {
  grep,
  egrep: grep,
  fgrep: grep,
  rgrep: (args) => grep(["-r", ...args]),
  rg,
  diff: copying("CUWxI", "exclude unified context width", (operands) => operands),
  cp: copying("tS", "target-directory suffix", (operands) => operands.slice(0, -1)),
  mv,
  rsync: copying("efM", "rsh exclude include", (operands) => operands.slice(0, -1)),
  scp: copying("cFiJloPS", "", (operands) => operands.slice(0, -1)),
  zip: copying("bnxi", "", (operands) => operands.slice(1)),
  tar: archive,
  ls: listing((taken) => hasOption(taken, "R", "recursive") && hasOption(taken, "L", "dereference")),
  tree: listing((taken) => hasOption(taken, "l")),
  du: listing((taken) => hasOption(taken, "L", "dereference")),
  find,
};

const SIMPLE = /^[\w.@+*?-]+$/;

/** A pattern that is not simple may match any name. */
function loosely(pattern: string): (name: string) => boolean {
  if (!SIMPLE.test(pattern)) return () => true;
  const fits = namePattern(pattern);
  return (name) => fits(name) || namePattern(`.${pattern}`)(`.${name}`);
}

/** A pattern that is not simple may match no name. */
function strictly(pattern: string): (name: string) => boolean {
  return SIMPLE.test(pattern) ? namePattern(pattern) : () => false;
}
