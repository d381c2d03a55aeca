import { type AddedEntry, dialectOf, readCommand } from "@toolkeep/catalog";
import { ToolFailure } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import type { ParsedCommand, SimpleCommand } from "@toolkeep/core/ports";
import type { Command, ParsedScript, Redirection, SyntaxNode, Word, WordPart } from "unbash";
import { loadTreeSitterBash, type ParseBash } from "./bash/tree-sitter-bash.ts";
import { provedStatements } from "./parsed-statements.ts";
import { type FedCommand, plainCommands } from "./plain/plain-commands.ts";
import { expandsOfLast, simpleCommand } from "./plain/resolve-words.ts";
import { isFedShell, shellText, transparentlyRun, wrappedCommands } from "./plain/wrapped-commands.ts";

export interface ParseOptions {
  /** What `~` stands for. */
  readonly home: string;
  /** The absolute path of the folder that the agent works in. Left out: unknown. */
  readonly folder?: string;
  /** The shell that runs the line. Left out: bash, zsh, dash, ksh or fish, and a plain line is the same in all of them. */
  readonly shell?: "bash";
  /** Entries of programs in addition to those of the catalogue. */
  readonly catalog?: readonly AddedEntry[] | undefined;
}

const LONGEST_LINE = 16 * 1_024;
const MOST_OPEN = 256;
const MOST_HERE_DOCUMENTS = 512;
const DEEPEST_NODE = 400;
const DEEPEST_WRAPPER = 8;
const MOST_COMMANDS = 256;

/**
 * The commands in a line, at any position. The line is plain only if three readings give exactly the same commands: the
 * parser's, that of an independent second parser, and a much simpler one of our own. Otherwise the commands are those
 * that can be seen, good for rules that deny and for people, never for rules that allow. The parser is loaded with the
 * first line, and the second one when a line needs it.
 * @throws ToolFailure for what cannot be parsed.
 */
export function parseCommand(line: string, options: ParseOptions): Promise<ParsedCommand> {
  return parseWith(line, { ...options, load: loadTreeSitterBash });
}

interface ParseWithOptions extends ParseOptions {
  /** Brings the second parser. */
  readonly load: () => Promise<ParseBash>;
}

/** The same with a second parser of the caller's choice; without one that answers no line is plain. */
export async function parseWith(line: string, options: ParseWithOptions): Promise<ParsedCommand> {
  parser ??= import("unbash");
  const loaded = await parser;
  const see = (text: string): Seen => {
    const seen: Seen = { parser: loaded, home: options.home, commands: [], wrapper: undefined };
    visitText(text, seen, 0);
    return seen;
  };
  const seen = see(line);
  const plain = await plainCommands(line, seen, { ...options, see });
  const { home, catalog = [] } = options;
  const found: readonly FedCommand[] = plain.commands ?? seen.commands;
  const commands = Object.freeze(await Promise.all(found.map((one) => withReading(one, catalog))));
  return plain.commands === undefined
    ? { plain: false, reason: plain.reason, commands, home }
    : { plain: true, commands, home };
}

/** The catalogue of core does not know what a command is fed, what others add, nor what the parser of a database says. */
async function withReading(
  { fed, ...command }: FedCommand,
  catalog: readonly AddedEntry[],
): Promise<SimpleCommand> {
  const { argv } = command;
  const isKnown = catalog.length === 0 && fed === undefined;
  if (isKnown && !argv.some((word) => dialectOf([word]) === PARSED)) return Object.freeze(command);
  const about = fed === undefined ? command : { ...command, fed };
  const first = readCommand(argv, about, catalog);
  const parsed = await provedStatements(first?.unproved ?? []);
  const own = isKnown ? undefined : first;
  const reading = parsed.length === 0 ? own : readCommand(argv, { ...about, parsed }, catalog);
  return Object.freeze(reading === undefined ? command : { ...command, reading });
}

/** The language whose parser there is. */
const PARSED = "postgres";

type Parser = Pick<typeof import("unbash"), "parse" | "forEachChild">;

let parser: Promise<Parser> | undefined;

/** What was found on the way through the tree. */
interface Seen {
  readonly parser: Parser;
  readonly home: string;
  readonly commands: SimpleCommand[];
  wrapper: readonly string[] | undefined;
}

function visitText(text: string, seen: Seen, wrappers: number): void {
  refuseUnreadable(text);
  try {
    visit(seen.parser.parse(text), seen, { wrappers, nodes: 0 });
  } catch (error) {
    if (ToolFailure.isInstance(error)) throw error;
    throw new ToolFailure("effects_failed", "the command line could not be parsed", { cause: error });
  }
}

/** Before the parser spends time on it: what never closes makes it look for the end again and again. */
function refuseUnreadable(text: string): void {
  if (text.length > LONGEST_LINE) throw unforeseeable(`it is longer than ${LONGEST_LINE} characters`);
  if (text.includes("\0") || !text.isWellFormed()) throw unforeseeable("it is not text");
  const isTooDeep =
    BRACKETS.some(([open, close]) => deepest(text, open, close) > MOST_OPEN) ||
    text.split("<<").length > MOST_HERE_DOCUMENTS;
  if (isTooDeep) throw unforeseeable("it is nested too deep");
}

const BRACKETS = [
  ["(", ")"],
  ["{", "}"],
  ["[", "]"],
] as const;

function deepest(text: string, open: string, close: string): number {
  if (!text.includes(open)) return 0;
  let depth = 0;
  let most = 0;
  for (const character of text) {
    if (character === open) depth += 1;
    else if (character === close && depth > 0) depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}

function unforeseeable(why: string): ToolFailure {
  return new ToolFailure("effects_failed", `the command line could not be parsed: ${why}`);
}

interface Depth {
  readonly wrappers: number;
  readonly nodes: number;
}

function visit(node: SyntaxNode, seen: Seen, depth: Depth): void {
  if (depth.nodes > DEEPEST_NODE) throw unforeseeable("it is nested too deep");
  refuseErrors(node);
  if (node.type === "Command") visitCommand(node, seen, depth);
  if (node.type === "Redirected") addCommand({ argv: [] }, node.redirects, seen, depth);
  const deeper = { wrappers: depth.wrappers, nodes: depth.nodes + 1 };
  seen.parser.forEachChild(node, (child) => visit(child, seen, deeper));
}

function refuseErrors(node: SyntaxNode): void {
  const error = node.type === "Script" ? (node as ParsedScript).errors?.[0] : undefined;
  if (error !== undefined) throw unforeseeable(error.message);
  if (node.type === "HereDoc" && node.closing === undefined)
    throw unforeseeable("a here-document has no end");
}

function visitCommand(command: Command, seen: Seen, depth: Depth): void {
  const { name, args, redirects } = command;
  const argv = name === undefined ? [] : [wordValue(name, seen.home)];
  const expands: number[] = [];
  for (const arg of args) {
    if (arg.type === "Word" && isExpanded(arg)) expands.push(argv.length);
    argv.push(arg.type === "Word" ? wordValue(arg, seen.home) : arg.text);
  }
  addCommand({ argv, expands }, redirects, seen, depth);
}

/** Whether a shell would make a list of files of it; what is quoted it leaves alone. */
function isExpanded(argument: Word): boolean {
  // Its parts are found only where they are asked for.
  if (!EXPANDED.test(argument.text) && !argument.text.includes("{")) return false;
  if (argument.parts === undefined) return EXPANDED.test(argument.text);
  return argument.parts.some((part) => {
    if (part.type === "Literal") return EXPANDED.test(part.value);
    return part.type === "Glob" || part.type === "ExtendedGlob" || part.type === "BraceExpansion";
  });
}

const EXPANDED = /[*?[]/;

function addCommand(
  { argv, expands = [] }: Pick<SimpleCommand, "argv" | "expands">,
  redirects: readonly Redirection[],
  seen: Seen,
  depth: Depth,
): void {
  const files = redirects.flatMap((redirect) => filesOf(redirect, seen.home));
  if (argv.length === 0 && files.length === 0) return;
  if (seen.commands.length >= MOST_COMMANDS)
    throw unforeseeable(`it has more than ${MOST_COMMANDS} commands`);
  seen.commands.push(simpleCommand(argv, files, expands));
  if (isFedShell(argv))
    for (const text of redirects.flatMap(fedText)) visitText(text, seen, depth.wrappers + 1);
  const wrapped = wrappedCommands(argv);
  if (wrapped === undefined) return;
  const isAlone = argv.length === 1 && argv[0] === "env";
  if (!isAlone && transparentlyRun(argv) === undefined && shellText(argv) === undefined)
    seen.wrapper ??= argv;
  if (depth.wrappers >= DEEPEST_WRAPPER) throw unforeseeable("it is nested too deep");
  const deeper = { wrappers: depth.wrappers + 1, nodes: depth.nodes };
  const fed = redirects.filter(({ type }) => type !== "Redirect");
  for (const inner of wrapped) {
    if (inner.argv === undefined) visitText(inner.text, seen, deeper.wrappers);
    else {
      const given = expandsOfLast({ argv, expands }, inner.argv.length);
      addCommand({ argv: inner.argv, expands: given }, fed, seen, deeper);
    }
  }
}

/** What a here-document or a here-string feeds to its command. */
function fedText(redirect: Redirection): readonly string[] {
  if (redirect.type === "HereDoc") return [redirect.body.text];
  return redirect.type === "HereString" && redirect.target !== undefined ? [redirect.target.value] : [];
}

/** The argument as the program gets it: a shell replaces `~` with the home folder. */
function wordValue({ text, value }: Word, home: string): string {
  const isHome = /^~(?:\/|$)/.test(text);
  return isHome ? `${home}${value.slice(1)}` : value;
}

/** What a redirect opens whose target is computed: the file is unknown. */
const ANYWHERE = "/**";

/** The files a redirect opens. */
function filesOf(redirect: Redirection, home: string): readonly SimpleCommand["redirects"][number][] {
  if (redirect.type !== "Redirect" || redirect.target === undefined) return [];
  const { operator, target } = redirect;
  const isDuplicate = operator === ">&" || operator === "<&";
  if (isDuplicate && /^\d*-?$/.test(target.value)) return [];
  const path = pathOf(target, home);
  const file = path === undefined ? { path: ANYWHERE, note: whyUnknown(target) } : { path };
  const read = Object.freeze({ access: "read" as const, ...file });
  const write = Object.freeze({ access: "write" as const, ...file });
  if (operator === "<>") return [read, write];
  return operator === "<" || operator === "<&" ? [read] : [write];
}

const LONGEST_NAME = 100;

function whyUnknown({ text }: Word): string {
  return `Toolkeep cannot tell which file \`${visible(text.replaceAll(/^"|"$/g, ""), LONGEST_NAME)}\` names`;
}

function pathOf(argument: Word, home: string): string | undefined {
  if (argument.parts !== undefined && !argument.parts.every(isStatic)) return undefined;
  const path = wordValue(argument, home);
  return path.startsWith("~") && argument.text.startsWith("~") ? undefined : path;
}

function isStatic(part: WordPart): boolean {
  if (part.type === "DoubleQuoted" || part.type === "LocaleString") return part.parts.every(isStatic);
  return part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted";
}
