import { coversName, coversNames, mayLeadTo } from "./cover-names.ts";

/** What one ignore file says about what lies beneath its folder. */
export interface IgnoreRules {
  /** Whether an entry is ignored (`true`), brought back (`false`), or not spoken of. */
  evaluate(entry: EvaluatedEntry): boolean | undefined;
}

export interface EvaluatedEntry {
  readonly folder: string;
  readonly name: string;
  readonly isFolder: boolean;
}

/** The rules of a folder and of those above it. */
export interface RuleChain {
  readonly rules: IgnoreRules;
  readonly outer: RuleChain | undefined;
}

/** Whether an entry is ignored: the nearest rules that speak of it decide. */
export function isIgnored(entry: EvaluatedEntry, chain: RuleChain | undefined): boolean {
  for (let at = chain; at !== undefined; at = at.outer) {
    const verdict = at.rules.evaluate(entry);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

/**
 * Reads the lines of an ignore file as far as they are plain: names and paths with `*`, and `**` for folders.
 * `undefined` where one line is not: then ripgrep must say what is ignored. What is read here must mean to
 * us exactly what it means to ripgrep.
 */
export function readIgnoreRules(folder: string, text: string): IgnoreRules | undefined {
  const rules: Rule[] = [];
  for (const words of text.split("\n")) {
    const said = words.trimEnd();
    if (said === "" || said.startsWith("#")) continue;
    const rule = readRule(said, rules.length);
    if (rule === undefined) return undefined;
    rules.push(rule);
  }
  return compiled(folder, rules);
}

interface Rule {
  /** A later one wins over an earlier one. */
  readonly place: number;
  readonly ignores: boolean;
  readonly foldersOnly: boolean;
  /** It is about a name, wherever that is; otherwise about a path from the folder on. */
  readonly isAnywhere: boolean;
  readonly names: readonly string[];
}

/** What escapes, chooses, or stands for one character is read a little differently everywhere. */
const PLAIN = /^[\w !"#$%&'()*+,./:;<=>@^`|~-]+$/;
/** Nothing but slashes or `**`, a step, an empty name, or `**` as a part of a name. */
const UNUSUAL = /^\/*$|^\/?(?:\*\*\/?)+$|\/\/|(?:^|\/)\.{1,2}(?:\/|$)|\*\*[^/]|[^/]\*\*/;

function readRule(said: string, place: number): Rule | undefined {
  const pattern = said.startsWith("!") ? said.slice(1) : said;
  if (!PLAIN.test(pattern) || UNUSUAL.test(pattern)) return undefined;
  const foldersOnly = pattern.endsWith("/");
  const path = foldersOnly ? pattern.slice(0, -1) : pattern;
  const names = path.split("/").filter((name) => name !== "");
  const isAfterFolders = names.length === 2 && names[0] === "**";
  return {
    place,
    ignores: pattern === said,
    foldersOnly,
    isAnywhere: !path.includes("/") || isAfterFolders,
    names: isAfterFolders ? names.slice(1) : names,
  };
}

/** Most lines are a name or an ending, and there are many entries: those are found without a look at every line. */
function compiled(folder: string, rules: readonly Rule[]): IgnoreRules {
  const anywhere = rules.filter(({ isAnywhere }) => isAnywhere);
  const [named, wild] = parted(anywhere, (rule) => !nameIn(rule).includes("*"));
  const [ending, other] = parted(wild, (rule) => ENDING.test(nameIn(rule)));
  const byName = Map.groupBy(named, nameIn);
  const byEnding = Map.groupBy(ending, (rule) => nameIn(rule).slice(1));
  const pathRulesIn = pathRules(
    folder,
    rules.filter(({ isAnywhere }) => !isAnywhere),
  );
  return {
    evaluate(entry) {
      const { name } = entry;
      const dot = byEnding.size > 0 ? name.lastIndexOf(".") : -1;
      let last = lastOf(byName.get(name), entry);
      if (dot !== -1) last = lastOf(byEnding.get(name.slice(dot)), entry, last);
      if (other.length > 0)
        last = lastOf(
          other.filter((rule) => coversName(nameIn(rule), name)),
          entry,
          last,
        );
      const { names, some } = pathRulesIn(entry.folder);
      if (some.length > 0) {
        const path = [...names, name];
        last = lastOf(
          some.filter((rule) => coversNames(rule.names, path)),
          entry,
          last,
        );
      }
      return last?.ignores;
    },
  };
}

/** The rules about paths that can mean anything in a folder: mostly none. Entries come folder by folder. */
function pathRules(
  root: string,
  rules: readonly Rule[],
): (folder: string) => { readonly names: readonly string[]; readonly some: readonly Rule[] } {
  let known = { folder: "", names: [] as readonly string[], some: [] as readonly Rule[] };
  return (folder) => {
    if (rules.length > 0 && known.folder !== folder) {
      const names = folder
        .slice(root.length)
        .split("/")
        .filter((name) => name !== "");
      known = { folder, names, some: rules.filter((rule) => mayLeadTo(rule.names, names)) };
    }
    return known;
  };
}

/** The last of the rules that holds for such an entry. */
function lastOf(
  rules: readonly Rule[] | undefined,
  { isFolder }: EvaluatedEntry,
  before?: Rule,
): Rule | undefined {
  let last = before;
  for (const rule of rules ?? [])
    if (rule.place > (last?.place ?? -1) && (isFolder || !rule.foldersOnly)) last = rule;
  return last;
}

function nameIn({ names: [name = ""] }: Rule): string {
  return name;
}

/** `*.log`, with one dot: an entry's last dot finds it. */
const ENDING = /^\*\.[^.*]+$/;

function parted<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
