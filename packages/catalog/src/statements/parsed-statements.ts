import { type Dialect, dialectNamed } from "./dialects.ts";

/** A part of a tree: a node has one name, with capitals, and everything else has names without. */
type Tree = Readonly<Record<string, unknown>>;

/** What PostgreSQL's own parser makes of a text, as libpg_query gives it. */
export interface ParsedText {
  readonly stmts?: readonly { readonly stmt?: unknown }[];
}

/**
 * What a text does by its tree, if each of its statements is proved to read: it consists of nodes that are known, and
 * calls functions that are known. `undefined` for every other one.
 */
export function readParsed(parsed: ParsedText): "db.read" | "db.read secret.read" | undefined {
  const { stmts = [] } = parsed;
  const dialect = dialectNamed("postgres");
  if (dialect === undefined || stmts.length === 0) return undefined;
  if (!stmts.every(({ stmt }) => isRead(stmt, dialect))) return undefined;
  const isSecret = partsOf(stmts).some(
    ([, value]) => typeof value === "string" && dialect.secrets.has(value.toLowerCase()),
  );
  return isSecret ? "db.read secret.read" : "db.read";
}

function isRead(statement: unknown, dialect: Dialect): boolean {
  const [kind = "", node] = Object.entries(isTree(statement) ? statement : {})[0] ?? [];
  if (!isTree(node)) return kind === "VariableShowStmt";
  if (kind === "ExplainStmt") return isKnown([node], nodesExplained(node, dialect), dialect);
  if (kind === "CopyStmt") return isPrinted(node) && isKnown([node], dialect.nodes, dialect);
  if (kind === "TransactionStmt") return TRANSACTIONS.test(String(node["kind"]));
  if (kind === "VariableSetStmt")
    return node["kind"] === "VAR_SET_VALUE" && dialect.sets.has(String(node["name"]));
  return kind === "VariableShowStmt" || (kind === "SelectStmt" && isKnown([node], dialect.nodes, dialect));
}

const TRANSACTIONS = /^TRANS_STMT_(?:BEGIN|START|COMMIT|ROLLBACK)$/;

/** What is explained is not run, unless it is analyzed. */
function nodesExplained(node: Tree, { nodes, explained }: Dialect): ReadonlySet<string> {
  const isAnalyzed = partsOf([node["options"]]).some(
    ([name, value]) => name === "defname" && /^analy[sz]e$/i.test(String(value)),
  );
  return isAnalyzed ? nodes : new Set([...nodes, ...explained]);
}

/** `COPY … TO STDOUT`: to no file, and to no program. */
function isPrinted(node: Tree): boolean {
  return node["is_from"] !== true && node["is_program"] !== true && node["filename"] === undefined;
}

function isKnown(trees: readonly Tree[], nodes: ReadonlySet<string>, dialect: Dialect): boolean {
  return partsOf(trees).every(([name, value]) => {
    if (name === "intoClause" || name === "lockingClause") return false;
    if (name === "funcname" || name === "method") return isNamed(value, dialect, dialect.functions);
    if (OPERATORS.test(name) && Array.isArray(value)) return isNamed(value, dialect);
    return !/^[A-Z]/.test(name) || nodes.has(name);
  });
}

/** Names of operators, which are lists. Other names are texts. */
const OPERATORS = /^(?:name|operName|useOp)$/;

/** A name alone, or in a schema of the system, of one of these. */
function isNamed(value: unknown, { schemas }: Dialect, names?: ReadonlySet<string>): boolean {
  const words = Array.isArray(value) ? value.map((part) => part.String?.sval ?? "") : [];
  const isOfSystem = words.length === 1 || (words.length === 2 && schemas.has(words[0] ?? ""));
  return isOfSystem && names?.has(words.at(-1) ?? "") !== false;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}

/** Everything in trees that has a name, however deep. */
function partsOf(trees: readonly unknown[]): readonly (readonly [name: string, value: unknown])[] {
  const found: (readonly [string, unknown])[] = [];
  const waiting = [...trees];
  while (waiting.length > 0) {
    const tree = waiting.pop();
    if (!isTree(tree)) continue;
    for (const [name, value] of Object.entries(tree)) {
      if (!Array.isArray(tree)) found.push([name, value]);
      waiting.push(value);
    }
  }
  return found;
}
