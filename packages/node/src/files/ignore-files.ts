import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "./file-failure.ts";
import { type RuleChain, readIgnoreRules } from "./ignore-rules.ts";

/** What ripgrep also obeys, and we leave to it. */
const LEFT_TO_RIPGREP = [".ignore", ".rgignore", ".git/info/exclude"];

/** The rules of all folders above one; `undefined` where ripgrep must read them. */
export function rulesAbove(folder: string): { readonly chain: RuleChain | undefined } | undefined {
  if (folder === "/") return { chain: undefined };
  const parent = dirname(folder);
  const above = rulesAbove(parent);
  return above && withRulesOf(parent, { outer: above.chain, at: (name) => join(parent, name) });
}

export interface RulesPlace {
  readonly outer: RuleChain | undefined;
  /** Where a file of the folder is found. */
  at(name: string): string;
  /** Whether the folder has such a name, where that is known. */
  has?(name: string): boolean;
}

/** The rules that hold in a folder; `undefined` where ripgrep must read them. */
export function withRulesOf(
  folder: string,
  { outer, at, has = () => true }: RulesPlace,
): { readonly chain: RuleChain | undefined } | undefined {
  for (const name of LEFT_TO_RIPGREP) {
    const text = has(name.split("/")[0] as string) ? textAt(at(name)) : "";
    if (text === undefined || SAYS_SOMETHING.test(text)) return undefined;
  }
  const text = has(".gitignore") ? textAt(at(".gitignore")) : "";
  if (text === "") return { chain: outer };
  const rules = text === undefined ? undefined : readIgnoreRules(folder, text);
  return rules && { chain: { rules, outer } };
}

/** A line that is neither empty nor a remark. */
const SAYS_SOMETHING = /^(?!#).*\S/m;
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const LONGEST = 65_536;
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What a small regular file says; empty where there is none, `undefined` for anything else of that name. */
function textAt(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    // Mostly there is none, and an error takes longer than a look.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return "";
    descriptor = openSync(path, READING);
    if (!fstatSync(descriptor).isFile()) return undefined;
    const bytes = Buffer.allocUnsafe(LONGEST);
    const filled = readSync(descriptor, bytes, 0, LONGEST, 0);
    return filled === LONGEST ? undefined : DECODER.decode(bytes.subarray(0, filled));
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "" : undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
