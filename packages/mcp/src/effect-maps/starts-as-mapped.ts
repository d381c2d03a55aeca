import type { EffectMap, MappedStart } from "./effect-map.ts";
import type { StartedPackage } from "./package-of.ts";

/**
 * Whether a program is started as its map knows it. Another file of its package, an option or an environment value
 * that the map does not name may make another program of it.
 */
export function startsAsMapped({ start = {} }: EffectMap, started: StartedPackage): boolean {
  const { file, words, variables } = started;
  if (file !== undefined && file !== start.file) return false;
  const known = new Set(start.variables);
  if (!variables.every((name) => known.has(name) || PLAIN.has(name))) return false;
  return areKnown(words, start.words ?? []);
}

/** How something is shown and told, in every program. */
const PLAIN: ReadonlySet<string> = new Set([
  "DEBUG",
  "FORCE_COLOR",
  "LANG",
  "LC_ALL",
  "LOG_LEVEL",
  "NO_COLOR",
  "TZ",
]);

function areKnown(words: readonly string[], known: NonNullable<MappedStart["words"]>): boolean {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (known.includes(word)) continue;
    const equals = word.indexOf("=");
    if (equals !== -1 && known.includes(word.slice(0, equals + 1))) continue;
    if (known.includes(`${word}=`) && isPlain(words[at + 1])) at += 1;
    else if (!known.includes("*") || !isPlain(word)) return false;
  }
  return true;
}

/** No option, also when what it stands for is put in. */
function isPlain(word: string | undefined): boolean {
  return word !== undefined && !/^(?:-|\$\{(?!workspaceFolder\}|userHome\}))/.test(word);
}
