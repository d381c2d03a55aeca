import type { ApprovalRequest, Effect } from "@toolkeep/core";
import { effectWords, visible } from "@toolkeep/core/internal";
import { BAR, type PromptRow, wrapped } from "./prompt-rows.ts";

/** Rows, and whether they say all of what they are about. */
export interface Shown {
  readonly rows: readonly PromptRow[];
  readonly isWhole: boolean;
}

/** No one reads more before an answer. */
const LONGEST_VALUE = 60_000;
const LONGEST_NAME = 1_000;
const LONGEST_TARGET = 10_000;
const MOST_EFFECTS = 256;
const MOST_ARGUMENTS = 100;
const MOST_CHARACTERS = 100_000;
/** How many arguments are shown of a request that cannot be approved. */
const MOST_CUT = 10;

/** Marks a line end, which parts commands: a row that is only broken has none. */
const LINE_END = "\u23CE";

/** A text within a value: deeper than the name of an argument can be. */
const INNER = `${BAR}  `;

/** The command, or the other arguments with their names. */
export function argumentRows(request: ApprovalRequest, columns: number): Shown {
  const all = entriesOf(request.arguments);
  const isWhole =
    all.length <= MOST_ARGUMENTS &&
    all.every(([name, value]) => name.length <= LONGEST_NAME && value.length <= LONGEST_VALUE) &&
    all.reduce((sum, [, value]) => sum + value.length, 0) <= MOST_CHARACTERS;
  // No more of it is looked at than is shown.
  if (!isWhole) return { rows: all.slice(0, MOST_CUT).flatMap((one) => cutRows(one, columns)), isWhole };
  const remark = remarkOf(request.arguments);
  const args = all.filter(([name]) => name !== remark?.name);
  const [only] = args;
  const rows =
    only?.[0] === "command" && args.length === 1
      ? valueRows(only[1], { first: BAR, columns })
      : args.flatMap(([name, value]) => valueRows(value, { first: `${BAR}${visible(name)}: `, columns }));
  return { rows, isWhole };
}

/** An argument of a request that cannot be approved: its beginning and its end. */
function cutRows([name, value]: readonly [string, string], columns: number): readonly PromptRow[] {
  return startedRows(`${visible(name)}: ${visible(value)}`, { first: BAR, columns });
}

/** What the agent says of its command. */
export function remarkRows(request: ApprovalRequest, columns: number): readonly PromptRow[] {
  const remark = remarkOf(request.arguments);
  return remark === undefined
    ? []
    : valueRows(remark.text.slice(0, LONGEST_VALUE), { first: "Agent says (unverified): ", columns });
}

function entriesOf(args: unknown): readonly (readonly [string, string])[] {
  const entries = typeof args === "object" && args !== null ? Object.entries(args) : [];
  return entries.map(([name, value]) => [
    name,
    typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
  ]);
}

const LONGEST_EDITABLE = 500;

/** The command of a call, if it is shown as it is: what is hidden or replaced cannot be changed by hand. */
export function editableCommand({ arguments: args }: ApprovalRequest): string | undefined {
  if (typeof args !== "object" || args === null || !("command" in args)) return undefined;
  const { command } = args;
  const isPlain =
    typeof command === "string" && command.length <= LONGEST_EDITABLE && visible(command) === command;
  return isPlain && !JSON.stringify(args).includes("[redacted:") ? command : undefined;
}

/** What a model says of its command is no part of it. */
function remarkOf(args: unknown): { readonly name: string; readonly text: string } | undefined {
  if (typeof args !== "object" || args === null || !("command" in args)) return undefined;
  for (const name of ["description", "justification"]) {
    const text = (args as Readonly<Record<string, unknown>>)[name];
    if (typeof text === "string") return { name, text };
  }
  return undefined;
}

/** A text of several lines has one row or more for each of them. */
function valueRows(
  value: string,
  { first, columns }: { readonly first: string; readonly columns: number },
): readonly PromptRow[] {
  const lines = value.split("\n");
  const [only = ""] = lines;
  if (lines.length === 1) return startedRows(visible(only, LONGEST_VALUE), { first, columns });
  return [
    ...(first === BAR ? [] : startedRows("", { first, columns })),
    ...lines.flatMap((line, index) =>
      wrapped(`${visible(line, LONGEST_VALUE)}${index < lines.length - 1 ? LINE_END : ""}`, {
        first: INNER,
        rest: INNER,
        columns,
      }),
    ),
  ];
}

/** The beginning may itself be longer than a row. */
function startedRows(
  text: string,
  { first, columns }: { readonly first: string; readonly columns: number },
): readonly PromptRow[] {
  if (first.startsWith(BAR))
    return wrapped(`${first.slice(BAR.length)}${text}`, { first: BAR, rest: INNER, columns });
  return wrapped(`${first}${text}`, { columns });
}

/** What the call does, one effect each; the commands of a line have numbers. */
export function effectRows(request: ApprovalRequest, columns: number): Shown {
  const { effects } = request;
  const asking = askingTargets(request);
  const shown = distinct(effects.slice(0, MOST_EFFECTS));
  const commands = shown.filter(({ capability }) => capability === "shell.run");
  const rows = shown.flatMap((effect) => {
    const asks = asking === undefined ? "" : asking.has(nameOf(effect)) ? "ASK " : "    ";
    const number = commands.length > 1 ? `${commands.indexOf(effect) + 1 || " "} ` : "";
    const isLost = IRREVERSIBLE.has(effect.capability) || effect.forced === true;
    const words = `${isLost ? "IRREVERSIBLE: " : ""}${effectWords(effect)}${
      effect.implied === true ? ", which follows from it" : ""
    }`;
    const first = `${BAR}${asks}${number}`;
    const rest = `${BAR}${" ".repeat(asks.length + number.length + 2)}`;
    return wrapped(words, { first, rest, columns, ...(isLost ? { tone: "danger" } : {}) });
  });
  return {
    rows: [{ text: "What it does:" }, ...(rows.length === 0 ? [{ text: NOTHING }] : rows)],
    isWhole:
      effects.length <= MOST_EFFECTS &&
      effects.every(
        ({ capability, target, note = "" }) =>
          target.length <= LONGEST_TARGET && capability.length <= LONGEST_NAME && note.length <= LONGEST_NAME,
      ),
  };
}

const NOTHING = `${BAR}nothing outside of the conversation`;
/** What no later call can undo. */
const IRREVERSIBLE: ReadonlySet<string> = new Set(["fs.delete", "git.push", "package.publish"]);

const nameOf = ({ capability, target }: Effect) => `${capability} ${target}`;

/** A command may be there twice, by its words and by what the disk tells of it. */
function distinct(effects: readonly Effect[]): readonly Effect[] {
  const own = effects.toSorted((one, other) => Number(one.implied === true) - Number(other.implied === true));
  const kept = new Set(new Map(own.toReversed().map((effect) => [effectWords(effect), effect])).values());
  return effects.filter((effect) => kept.has(effect));
}

/** The effects that no rule allows, where that is known for each: there is a rule for exactly these. */
function askingTargets({ exactRules, askedBy }: ApprovalRequest): ReadonlySet<string> | undefined {
  if (exactRules === undefined || askedBy.some((asker) => asker !== "rules")) return undefined;
  return new Set(exactRules.map(({ permission, pattern = "*" }) => `${permission} ${pattern}`));
}
