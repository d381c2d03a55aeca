import type { BashNode, ParseBash } from "../bash/tree-sitter-bash.ts";
import { type CommandShape, type RedirectShape, shapeText } from "./shape.ts";

/** The shape of a line as another parser sees it, or why it sees something else. */
export type SecondOpinion =
  | {
      /** Its commands and what is between and around them, in order, except for the ends of lines. */
      readonly shape: readonly string[];
    }
  | { readonly shape?: undefined; readonly reason: string };

/**
 * How an independent parser reads a line. Only commands of plain args are accepted, with what may be between and around
 * these; whatever else is in the tree is a reason. Never throws: a parser that fails, or is missing, is a reason too.
 */
export async function secondOpinion(
  line: string,
  { home, load }: { readonly home: string; readonly load: () => Promise<ParseBash> },
): Promise<SecondOpinion> {
  let root: BashNode;
  try {
    const parse = await load();
    root = parse(line);
  } catch {
    return { reason: "the second parser of command lines failed" };
  }
  const seen: Seen = { home, shape: [] };
  const isPlain = !root.isBroken && root.type === "program" && root.children.every((one) => see(one, seen));
  return isPlain
    ? seen
    : { reason: "parts of it are not plain commands, so what it runs cannot be told in advance" };
}

interface Seen {
  readonly home: string;
  readonly shape: string[];
}

/** Nodes whose children are in the order of the line. */
const IN_ORDER: ReadonlySet<string> = new Set(
  "list pipeline negated_command compound_statement subshell do_group if_statement elif_clause else_clause while_statement".split(
    " ",
  ),
);
const SIGNS: ReadonlySet<string> = new Set(
  "&& || ; | & ! { } ( ) while until do done if then elif else fi".split(" "),
);

/** Whether a node contains only plain commands; their shape is added to what was seen. */
function see(node: BashNode, seen: Seen): boolean {
  const { type, isNamed, children } = node;
  if (!isNamed) {
    if (SIGNS.has(type)) seen.shape.push(type);
    return SIGNS.has(type) || type === "\n";
  }
  if (type === "comment") return true;
  if (IN_ORDER.has(type)) return children.every((child) => see(child, seen));
  if (type === "for_statement") return seeLoop(node, seen);
  if (type === "redirected_statement") return seeRedirected(node, { redirects: [], after: [] }, seen);
  return seeCommand(node, { redirects: [], after: [] }, seen);
}

/** `for name in words; do …`: the sign before `do` is no separator. */
function seeLoop({ children }: BashNode, seen: Seen): boolean {
  const [keyword, name, preposition, ...rest] = children;
  const body = rest.at(-1);
  const words = rest.slice(0, -1).filter(({ type }) => type !== ";" && type !== "\n");
  const values = valuesOf(words, seen.home);
  const isLoop =
    keyword?.type === "for" &&
    name?.type === "variable_name" &&
    preposition?.type === "in" &&
    body?.type === "do_group" &&
    values !== undefined &&
    words.every(hasNoExpansion);
  if (!isLoop || values === undefined || body === undefined) return false;
  seen.shape.push(`for ${JSON.stringify([name?.text, ...values])}`);
  return see(body, seen);
}

function hasNoExpansion({ type, children }: BashNode): boolean {
  return !EXPANSIONS.has(type) && children.every(hasNoExpansion);
}

const EXPANSIONS: ReadonlySet<string> = new Set(["simple_expansion", "expansion", "command_substitution"]);

/** What is written after a command besides its args. */
interface Tail {
  readonly redirects: RedirectShape[];
  /** What this parser has put into a here-document because it is in the same line. */
  readonly after: BashNode[];
}

function seeRedirected({ children }: BashNode, tail: Tail, seen: Seen): boolean {
  const [body, ...redirects] = children;
  const all: Tail = { redirects: [], after: [] };
  if (body === undefined || !redirects.every((one) => takeRedirect(one, all, seen.home))) return false;
  return seeWithTail(
    body,
    { redirects: [...all.redirects, ...tail.redirects], after: [...all.after, ...tail.after] },
    seen,
  );
}

/** To this parser a redirect belongs to all that comes before it; to a shell, to the last command alone. */
const LISTS: ReadonlySet<string> = new Set(["list", "pipeline", "negated_command"]);

function seeWithTail(node: BashNode, tail: Tail, seen: Seen): boolean {
  const last = node.children.at(-1);
  if (LISTS.has(node.type) && last !== undefined)
    return node.children.slice(0, -1).every((one) => see(one, seen)) && seeWithTail(last, tail, seen);
  if (node.type === "redirected_statement") return seeRedirected(node, tail, seen);
  if (node.type === "command" || node.type === "test_command")
    return seeCommand(node, tail, seen) && tail.after.every((one) => see(one, seen));
  if (!see(node, seen) || !node.isNamed) return false;
  seen.shape.push(shapeText({ words: [], assignments: [], redirects: tail.redirects, printed: [] }));
  return tail.after.length === 0;
}

const OPERATORS: ReadonlySet<string> = new Set([">", ">>", ">|", "<", "&>", "&>>", ">&"]);

function takeRedirect(node: BashNode, tail: Tail, home: string): boolean {
  if (node.type === "heredoc_redirect") return takeDocument(node, tail, home);
  if (node.type === "herestring_redirect") return takeString(node, tail, home);
  const [first, ...more] = node.children;
  const hasDescriptor = first?.type === "file_descriptor";
  const [operator, target, ...rest] = hasDescriptor ? more : node.children;
  const value = target === undefined ? undefined : valueOfArg(target, home);
  if (node.type !== "file_redirect" || rest.length > 0 || value === undefined) return false;
  if (!OPERATORS.has(operator?.type ?? "")) return false;
  tail.redirects.push([hasDescriptor ? first.text : "", operator?.type ?? "", value]);
  return true;
}

function takeString({ children }: BashNode, tail: Tail, home: string): boolean {
  const [, target, ...rest] = children;
  const value = target === undefined ? undefined : valueOfArg(target, home);
  if (value === undefined || rest.length > 0) return false;
  tail.redirects.push(["", "<<<", value]);
  return true;
}

/** Here the rest of the line is in the node of the here-document. */
function takeDocument({ children }: BashNode, tail: Tail, home: string): boolean {
  const [operator, start, ...rest] = children;
  const [end, body, ...inLine] = rest.toReversed();
  if (operator?.type !== "<<" || start?.type !== "heredoc_start" || end?.type !== "heredoc_end") return false;
  if (body?.type !== "heredoc_body" || !isPlainDocument(start, body)) return false;
  tail.redirects.push(["", "<<", body.text]);
  return inLine.toReversed().every((node) => {
    if (node.type === "file_redirect" && tail.after.length === 0) return takeRedirect(node, tail, home);
    return tail.after.push(node) > 0;
  });
}

function isPlainDocument(start: BashNode, body: BashNode): boolean {
  return /^['"]/.test(start.text) || !/[$`\\]/.test(body.text);
}

function seeCommand(node: BashNode, tail: Tail, seen: Seen): boolean {
  const shape =
    node.type === "command" ? shapeOfCommand(node, tail, seen) : shapeOfTest(node, tail, seen.home);
  if (shape === undefined) return false;
  seen.shape.push(shapeText(shape));
  return true;
}

function shapeOfCommand({ children }: BashNode, tail: Tail, seen: Seen): CommandShape | undefined {
  const isName = (node: BashNode) => node.type === "command_name";
  const at = children.findIndex(isName);
  const assignments = children.slice(0, Math.max(at, 0)).map((one) => assignmentOf(one, seen.home));
  const [name, ...rest] = children.slice(at);
  const strings = rest.filter(({ type }) => type === "herestring_redirect");
  const args = rest.filter((one) => !strings.includes(one));
  const [argNode, ...more] = name?.children ?? [];
  if (at < 0 || argNode === undefined || more.length > 0) return undefined;
  const isTimed = argNode.text === "time" && args.length > 0 && assignments.length === 0;
  if (isTimed) seen.shape.push("time");
  const nodes = isTimed ? args : [argNode, ...args];
  const words = valuesOf(nodes, seen.home);
  // Its text is fed after what is already redirected, if at the end of the line.
  const isLast = strings.length === 0 || rest.at(-1) === strings[0];
  if (!isLast || strings.length > 1 || (strings.length > 0 && tail.redirects.length > 0)) return undefined;
  if (!strings.every((one) => takeString(one, tail, seen.home))) return undefined;
  const known = assignments.filter((text) => text !== undefined);
  if (words === undefined || known.length < assignments.length) return undefined;
  return { words, assignments: known, redirects: tail.redirects, printed: nodes.flatMap(printedIn) };
}

function assignmentOf({ type, children }: BashNode, home: string): string | undefined {
  const [name, sign, value, ...more] = children;
  if (type !== "variable_assignment" || name?.type !== "variable_name" || sign?.type !== "=")
    return undefined;
  if (more.length > 0) return undefined;
  const text = value === undefined ? "" : valueOfArg(value, home);
  return text === undefined ? undefined : `${name.text}=${text}`;
}

/** To this parser `[ … ]` and `export` are no commands; to a shell their parts are args like any others. */
function shapeOfTest(node: BashNode, { redirects }: Tail, home: string): CommandShape | undefined {
  if (OF_WORDS.get(node.type)?.test(node.children[0]?.type ?? "") !== true) return undefined;
  const leaves = leavesOf(node);
  // Parts that touch are one argument, which this parser has split by a meaning they do not have.
  const isTouching = leaves.some((leaf, index) => index > 0 && leaves[index - 1]?.end === leaf.start);
  const words = isTouching ? undefined : valuesOf(leaves, home);
  return words === undefined ? undefined : { words, assignments: [], redirects, printed: [] };
}

const OF_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ["test_command", /^\[\[?$/],
  ["declaration_command", /^export$/],
]);
const EXPRESSIONS: ReadonlySet<string> = new Set([
  ...OF_WORDS.keys(),
  "unary_expression",
  "binary_expression",
]);

function leavesOf(node: BashNode): readonly BashNode[] {
  return EXPRESSIONS.has(node.type) ? node.children.flatMap(leavesOf) : [node];
}

function valuesOf(argNodes: readonly BashNode[], home: string): readonly string[] | undefined {
  const values = argNodes.map((argNode) => valueOfArg(argNode, home));
  return values.every((value) => value !== undefined) ? values : undefined;
}

function valueOfArg(argNode: BashNode, home: string): string | undefined {
  const value = unquoted(argNode);
  if (value === undefined || !/^~(?:\/|$)/.test(argNode.text)) return value;
  return `${home}${value.slice(1)}`;
}

const BARE: ReadonlySet<string> = new Set(["word", "number", "test_operator"]);

/** The text without its quotes, by our own rules; `undefined` for what is not accepted. */
function unquoted(node: BashNode): string | undefined {
  const { type, isNamed, text, children } = node;
  if (type === "raw_string") return text.slice(1, -1);
  if (type === "string") return unquotedString(node);
  if (type === "variable_assignment") return assignmentOf(node, "");
  if (PUT_IN.has(type)) return isVariable(node) ? text : undefined;
  if (type === "concatenation") {
    const parts = children.map(unquoted);
    return parts.every((part) => part !== undefined) ? parts.join("") : undefined;
  }
  const isBare = BARE.has(type) || !isNamed;
  if (!isBare || children.length > 0 || /["'$`]/.test(text.replaceAll(/\\[^\n]/g, ""))) return undefined;
  return text.replaceAll(/\\([^\n])/g, "$1");
}

const VARIABLE = /^\$(?:[A-Za-z_]\w*|[?$!#]|\{[A-Za-z_]\w*\}|\(nproc\))$/;

function isVariable({ text }: BashNode): boolean {
  return VARIABLE.test(text);
}

/** Children that are put in as they are written; all else between the quotes is text. */
const PUT_IN: ReadonlySet<string> = new Set(["simple_expansion", "expansion", "command_substitution"]);

function unquotedString({ text, start, children }: BashNode): string | undefined {
  let value = "";
  let at = 1;
  for (const child of children.filter(({ type }) => PUT_IN.has(type))) {
    if (!isVariable(child) && documentIn(child) === undefined) return undefined;
    value += unescaped(text.slice(at, child.start - start)) + child.text;
    at = child.end - start;
  }
  const isText = children.every(({ type }) => PUT_IN.has(type) || TEXT.has(type));
  return isText ? value + unescaped(text.slice(at, -1)) : undefined;
}

const TEXT: ReadonlySet<string> = new Set(['"', "string_content", "$"]);

function unescaped(text: string): string {
  return text.replaceAll(/\\([$`"\\])/g, "$1");
}

/** The lines that `$(cat <<'EOF' …)` prints, without the ends of lines at its end. */
function documentIn({ children }: BashNode): string | undefined {
  const [open, inner, close, ...more] = children;
  if (open?.type !== "$(" || close?.type !== ")" || more.length > 0 || inner?.type !== "redirected_statement")
    return undefined;
  const [command, document, ...others] = inner.children;
  const tail: Tail = { redirects: [], after: [] };
  const isDocument = document?.type === "heredoc_redirect" && takeDocument(document, tail, "");
  if (command?.text !== "cat" || !isDocument || others.length > 0) return undefined;
  const isAlone = tail.after.length === 0 && tail.redirects.length === 1;
  return isAlone ? tail.redirects[0]?.[2].replace(/\n+$/, "") : undefined;
}

function printedIn(node: BashNode): readonly string[] {
  const own = node.type === "command_substitution" ? documentIn(node) : undefined;
  return own === undefined ? node.children.flatMap(printedIn) : [own];
}
