import { expression, GIT_COMMANDS, listIn, wordsIn } from "@toolkeep/catalog/internal";
import type { Effect } from "../../contract/call/effect.ts";

/** Options of `git push` whose value is the next word. */
const VALUED = wordsIn(GIT_COMMANDS.pushValued);

/** Options that take no value of their own, or have it behind a `=`. Any other may shift what the words after it mean. */
const PLAIN = expression(GIT_COMMANDS.pushPlain);

const FORCING = listIn(GIT_COMMANDS.pushForcing);
const EVERYTHING = wordsIn(GIT_COMMANDS.pushEverything);

/**
 * What `git push` with these words changes: one effect for each branch or tag at the far end, so that
 * `HEAD:main` is evaluated like `main`. `*` stands for what the arguments leave open.
 */
export function pushEffects(words: readonly string[]): readonly Effect[] {
  const { remote, refspecs, isForced, isOpen, isUnclear } = readPush(words);
  if (remote === undefined || isUnclear) return [pushTo("*", isForced)];
  const open = isOpen || refspecs.length === 0 ? [pushTo(`${remote} *`, isForced)] : [];
  const named = refspecs.map((refspec) =>
    pushTo(`${remote} ${destination(refspec)}`, isForced || /^\+?:|^\+/.test(refspec)),
  );
  return [...open, ...named];
}

function pushTo(target: string, isForced: boolean): Effect {
  const effect = { capability: "git.push", target, known: "inferred" as const };
  return Object.freeze(isForced ? { ...effect, forced: true as const } : effect);
}

interface Push {
  readonly remote: string | undefined;
  readonly refspecs: readonly string[];
  readonly isForced: boolean;
  readonly isOpen: boolean;
  readonly isUnclear: boolean;
}

function readPush(words: readonly string[]): Push {
  const operands: string[] = [];
  let repository: string | undefined;
  let isForced = false;
  let isOpen = false;
  let isUnclear = false;
  let optionsEnded = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (optionsEnded || !word.startsWith("-") || word === "-") operands.push(word);
    else if (word === "--") optionsEnded = true;
    else {
      isForced ||= isForcing(word);
      isOpen ||= EVERYTHING.has(word);
      isUnclear ||= !PLAIN.test(word) && !VALUED.has(word);
      if (word.startsWith("--repo=")) repository = word.slice("--repo=".length);
      if (word === "--repo") repository = words[at + 1];
      if (VALUED.has(word)) at += 1;
    }
  }
  const [remote = repository, ...refspecs] = operands;
  return { remote, refspecs, isForced, isOpen, isUnclear };
}

/** Git takes any beginning of an option that is clear enough. */
function isForcing(word: string): boolean {
  if (!word.startsWith("--")) return /^-[A-Za-z0-9]*[fd]/.test(word);
  const [name = ""] = word.split("=");
  return name.length > 2 && FORCING.some((option) => option.startsWith(name));
}

function destination(refspec: string): string {
  const plain = refspec.replace(/^\+/, "");
  const colon = plain.indexOf(":");
  const ref = colon < 0 ? plain : plain.slice(colon + 1);
  const branch = ref.replace(/^(?:refs\/)?heads\//, "");
  // What is checked out may be any branch.
  return branch === "" || branch === "HEAD" || branch.startsWith("@") ? "*" : branch;
}
