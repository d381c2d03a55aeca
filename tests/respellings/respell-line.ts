import type { Random } from "../shell-fuzz/random.ts";
import { beginsWithProgram, isWhole } from "../wrappers/wrappings.ts";
import { type LineCommand, type LineWord, lineOf, partsOf } from "./line-parts.ts";
import { type Item, itemsOf } from "./option-items.ts";

/** Programs that take their options in any order, and between and after the operands as well. */
const ANYWHERE: ReadonlySet<string> = new Set(
  (
    "kubectl helm gh aws gcloud az npm cargo git ls cat grep wc sort du df cp mv rm mkdir touch chmod rg jq " +
    "sha256sum diff uniq cut stat pip uv ruff curl psql systemctl journalctl docker podman flux argocd"
  ).split(" "),
);
/** Those that take them in any order, before the operands. */
const BEFORE: ReadonlySet<string> = new Set("go sed tail head fd tree file pg_dump redis-cli".split(" "));
/** They have no `--name=value`. */
const APART: ReadonlySet<string> = new Set("curl jq redis-cli".split(" "));
/** As builtins of a shell these evaluate what they are given, and as programs they do not. */
const EVALUATING: ReadonlySet<string> = new Set("printf test kill".split(" "));
/** A wrapper is a command too, and there are only so many in a line. */
const MOST_COMMANDS = 12;
/** Subcommands that take no option after the first operand. */
const STRICT = /^git (?:grep|rev-parse|config|for-each-ref|filter-branch)$/;

/** Another way to write a line: other quotes, blanks, names of its programs and orders of options. It does the same. */
export function respellLine(line: string, random: Random): string {
  for (let tries = 0; tries < 20; tries += 1) {
    const spelled = spelledOnce(line, random);
    if (spelled !== line) return spelled;
  }
  return isWhole(line) ? `cd . && ${line}` : line;
}

function spelledOnce(line: string, random: Random): string {
  const parts = partsOf(line);
  const isShort = (parts?.commands.length ?? 0) <= MOST_COMMANDS;
  const commands = (isShort ? parts : undefined)?.commands.map((command) => respellCommand(command, random));
  const blank = () => (random.chance(0.1) ? random.pick(["  ", "\t", "   "]) : " ");
  const spelled =
    parts === undefined || commands === undefined ? line : lineOf({ ...parts, commands }, blank);
  if (!isWhole(spelled)) return spelled;
  const outside = random.below(8);
  if (outside === 0) return `cd . && ${spelled}`;
  return outside === 1 ? `( ${spelled}\n)` : spelled;
}

function respellCommand(command: LineCommand, random: Random): LineCommand {
  const { words } = command;
  const isProgram = beginsWithProgram(words[0]?.written ?? "") && !EVALUATING.has(words[0]?.value ?? "");
  const ordered = random.chance(0.5) ? reordered(words, random) : words;
  const [name, ...args] = ordered;
  if (name === undefined) return command;
  const isNamed = isProgram && /^[a-z][\w.+-]*$/i.test(name.value);
  const path = { ...name, value: `/usr/bin/${name.value}`, written: `/usr/bin/${name.value}` };
  const program = isNamed && random.chance(0.25) ? path : name;
  const share = random.pick([0, 0.2, 0.6]);
  const quoted = [program, ...args].map((word) => (random.chance(share) ? requoted(word, random) : word));
  const wrapper = isProgram && random.chance(0.3) ? random.pick(["env", "command", "timeout 60"]) : "";
  const wrapping = wrapper.split(" ").filter((word) => word !== "");
  return { ...command, words: [...wrapping.map(textWord), ...quoted] };
}

function textWord(text: string): LineWord {
  return { written: text, value: text, isText: true };
}

/** What needs no quotes in any shell. */
const BARE = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
/** What is the same in every kind of quotes. */
const QUOTABLE = /^[^'"\\$`!\p{Cc}\P{ASCII}]*$/u;
/** Letters that no shell takes a backslash before for something else. */
const HARMLESS = /[dghijklmpqsyzA-TVWYZ./:@,-]/;

function requoted(word: LineWord, random: Random): LineWord {
  const { value, isText } = word;
  if (!isText || !QUOTABLE.test(value)) return word;
  const at = random.below(value.length + 1);
  const [head, tail] = [value.slice(0, at), value.slice(at)];
  const ways = [`'${value}'`, `"${value}"`];
  if (BARE.test(value)) {
    ways.push(value);
    if (head !== "" && tail !== "") ways.push(`${head}'${tail}'`, `"${head}"${tail}`);
    if (HARMLESS.test(tail.charAt(0))) ways.push(`${head}\\${tail}`);
  }
  return { ...word, written: random.pick(ways) };
}

/** The options in another order, and their values joined or apart. */
function reordered(words: readonly LineWord[], random: Random): readonly LineWord[] {
  const parts = itemsOf(words);
  if (parts === undefined) return words;
  const { before, items, after } = parts;
  const program = words[0]?.value.replace(/^.*\//, "") ?? "";
  const mayJoin = ({ words: [name] }: Item) => !APART.has(program) || name?.value.startsWith("--") === false;
  const spelled = items.map((item) => (random.chance(0.4) && mayJoin(item) ? otherwiseJoined(item) : item));
  const isStrict = STRICT.test(before.map(({ value }) => value).join(" "));
  const placed = isStrict ? spelled : moved(spelled, program, random);
  return [...before, ...placed.flatMap((item) => item.words), ...after];
}

function moved(items: readonly Item[], program: string, random: Random): readonly Item[] {
  const options = items.filter(({ option }) => option !== undefined);
  const isFirst = items.slice(0, options.length).every(({ option }) => option !== undefined);
  if (!ANYWHERE.has(program) && !(BEFORE.has(program) && isFirst)) return items;
  const operands = items.filter(({ option }) => option === undefined);
  const placed = ANYWHERE.has(program) ? [...operands] : [];
  for (const option of options) placed.splice(random.below(placed.length + 1), 0, option);
  return ANYWHERE.has(program) ? placed : [...placed, ...operands];
}

/** `--name=value` as `--name value`, `-n value` as `-nvalue`, and the other way round. */
function otherwiseJoined({ words, option }: Item): Item {
  const [name, value] = words;
  if (name === undefined || option === undefined || option === "bare" || !words.every(({ isText }) => isText))
    return { words, ...(option === undefined ? {} : { option }) };
  const isLong = name.value.startsWith("--");
  if (option === "apart" && value !== undefined) {
    const isGroup = !isLong && name.value.length > 2;
    if (isGroup || value.value === "" || (!isLong && value.value.startsWith("="))) return { words, option };
    const sign = isLong ? "=" : "";
    return { words: [joinedWord(name, sign, value)], option: "joined" };
  }
  const end = isLong ? name.value.indexOf("=") : 2;
  const rest = name.value.slice(isLong ? end + 1 : end);
  if (!QUOTABLE.test(rest) || /^(?:[-=]|$)/.test(rest)) return { words, option };
  return { words: [textWord(name.value.slice(0, end)), quotedWord(rest)], option: "apart" };
}

function joinedWord(name: LineWord, sign: string, value: LineWord): LineWord {
  return {
    written: `${name.written}${sign}${value.written}`,
    value: `${name.value}${sign}${value.value}`,
    isText: true,
  };
}

function quotedWord(value: string): LineWord {
  return { written: BARE.test(value) ? value : `'${value}'`, value, isText: true };
}
