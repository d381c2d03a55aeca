import type { ASTNode } from "@marcbachmann/cel-js";
import { closestName } from "@toolkeep/core/internal";
import {
  EFFECT_FIELDS,
  FUNCTIONS,
  INSTEAD,
  METHODS,
  QUANTIFIERS,
  TIMES,
  VARIABLES,
} from "./expression-names.ts";
import { LINEAR_NAMES } from "./linear-functions.ts";
import { compilePattern } from "./linear-text.ts";
import { windowOf } from "./windows.ts";
import { zoneError } from "./zoned-time.ts";

/** An expression that is not a condition. */
export class ExpressionError extends Error {
  /** Position in the expression, counted from 0. */
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/** What an expression asks for. */
export interface ExpressionUse {
  readonly names: ReadonlySet<string>;
  /** The longest window of `rate`, in milliseconds; 0 without any. */
  readonly longestWindowMs: number;
  /** Whether it looks at all arguments for each entry of a list. */
  readonly isWide: boolean;
}

/** What depends on the arguments, whose length a model determines. */
const LONG: ReadonlySet<string> = new Set(["args", "effect"]);

interface Options {
  /** Whether functions have been replaced by those that take linear time. */
  readonly isLinear?: boolean;
}

/** Checks that an expression has known names only, and takes linear time. @throws ExpressionError. */
export function checkExpression(ast: ASTNode, { isLinear = false }: Options = {}): ExpressionUse {
  return new Check(isLinear).run(ast);
}

class Check {
  readonly #functions: readonly string[];
  readonly #methods: readonly string[];
  readonly #names = new Set<string>();
  #longestWindowMs = 0;
  #isWide = false;
  /** The variable of the list that is being looked through. */
  #entry: string | undefined;

  constructor(isLinear: boolean) {
    const named = (names: readonly string[]) =>
      isLinear ? names.map((name) => LINEAR_NAMES[name] ?? name) : names;
    this.#functions = FUNCTIONS;
    this.#methods = named(METHODS);
  }

  run(ast: ASTNode): ExpressionUse {
    this.#visit(ast);
    return { names: this.#names, longestWindowMs: this.#longestWindowMs, isWide: this.#isWide };
  }

  #visit(node: ASTNode): void {
    if (node.op === "id") this.#variable(node.args, node.pos);
    else if (node.op === "call") this.#call(node.args[0], node.args[1], node.pos);
    else if (node.op === "rcall") this.#method(node.args[0], node.args[1], node.args[2], methodAt(node));
    else if (node.op === ".?" || node.op === "[?]")
      throw new ExpressionError("Optional fields are not supported.", node.pos, "Write `has(args.field)`.");
    else {
      if (node.op === ".") checkField(node.args[0], node.args[1], node.pos);
      for (const child of childrenOf(node.args)) this.#visit(child);
    }
  }

  #variable(name: string, at: number): void {
    if (this.#entry !== undefined && LONG.has(name)) this.#isWide = true;
    if (name === this.#entry) return;
    if ((VARIABLES as readonly string[]).includes(name)) this.#names.add(name);
    else throw unknownVariable(name, at);
  }

  #call(name: string, args: readonly ASTNode[], at: number): void {
    if (!this.#functions.includes(name)) throw unknownFunction(name, [...this.#functions], at);
    if (name === "rate") {
      const windowMs = windowOf(literalOf(args[0]) ?? "");
      if (windowMs === undefined || args.length !== 1)
        throw new ExpressionError(
          "`rate` needs a window from a second to a week.",
          at,
          'Write e.g. `rate("1h") >= 20`.',
        );
      this.#longestWindowMs = Math.max(this.#longestWindowMs, windowMs);
      return;
    }
    if (name === "duration" && literalOf(args[0]) === undefined)
      throw new ExpressionError("`duration` needs a text in quotes.", at, 'Write e.g. `duration("90m")`.');
    for (const arg of args) this.#visit(arg);
  }

  #method(name: string, receiver: ASTNode, args: readonly ASTNode[], at: number): void {
    if (!this.#methods.includes(name)) throw unknownFunction(name, this.#methods, at);
    if (TIMES.includes(name)) checkZone(name, args, at);
    if (name === "matches" || name === LINEAR_NAMES["matches"]) checkPattern(args, at);
    this.#visit(receiver);
    if (!QUANTIFIERS.includes(name)) {
      for (const arg of args) this.#visit(arg);
      return;
    }
    const [variable, body] = args;
    if (variable?.op !== "id" || body === undefined || args.length !== 2)
      throw new ExpressionError(
        `\`${name}\` needs a name and a condition.`,
        at,
        `Write e.g. \`args.to.${name}(x, x.endsWith("@example.com"))\`.`,
      );
    this.#look(variable.args, body, at);
  }

  /** Looks through a list. Lists in lists would take the square of the time. */
  #look(name: string, body: ASTNode, at: number): void {
    if (this.#entry !== undefined)
      throw new ExpressionError(
        "A condition looks through one list at a time, not through lists in lists.",
        at,
        "Write several rules.",
      );
    if ((VARIABLES as readonly string[]).includes(name))
      throw new ExpressionError(
        `\`${name}\` has a meaning already.`,
        at,
        "Choose another name, such as `x`.",
      );
    this.#entry = name;
    this.#visit(body);
    this.#entry = undefined;
  }
}

function checkField(object: ASTNode, field: string, at: number): void {
  if (object.op === "id" && object.args === "effect" && !EFFECT_FIELDS.includes(field))
    throw unknown("field of an effect", field, EFFECT_FIELDS, at);
}

function childrenOf(args: unknown): readonly ASTNode[] {
  const list = Array.isArray(args) ? args.flat(2) : [args];
  return list.filter((one): one is ASTNode => typeof one === "object" && one !== null && "op" in one);
}

/** Where the name of a method is written: after its receiver. */
function methodAt({ input, pos, args: [name, receiver] }: ASTNode & { readonly op: "rcall" }): number {
  const dot = input.indexOf(`.${name}`, receiver.pos);
  return dot === -1 ? pos : dot + 1;
}

function literalOf(node: ASTNode | undefined): string | undefined {
  return node?.op === "value" && typeof node.args === "string" ? node.args : undefined;
}

function checkZone(name: string, args: readonly ASTNode[], at: number): void {
  const zone = literalOf(args[0]);
  const example = `Write e.g. \`now.${name}("Europe/Berlin")\`.`;
  if (zone === undefined || args.length !== 1)
    throw new ExpressionError(`\`${name}\` needs the name of a time zone in quotes.`, at, example);
  const error = zoneError(zone);
  if (error !== undefined) throw new ExpressionError(error, args[0]?.pos ?? at, example);
}

function checkPattern(args: readonly ASTNode[], at: number): void {
  const pattern = literalOf(args[0]);
  if (pattern === undefined || args.length !== 1)
    throw new ExpressionError(
      "`matches` needs an expression in quotes.",
      at,
      "Write e.g. `args.id.matches('^[0-9]+$')`.",
    );
  const compiled = compilePattern(pattern);
  if (typeof compiled === "string") throw new ExpressionError(compiled, args[0]?.pos ?? at);
}

function unknownVariable(name: string, at: number): ExpressionError {
  const near = closestName(name, VARIABLES);
  const hint =
    near === undefined
      ? `For an argument of the call, write \`args.${name}\`; otherwise one of ${VARIABLES.join(", ")}.`
      : `Did you mean \`${near}\`?`;
  return new ExpressionError(`There is no variable \`${name}\`.`, at, hint);
}

function unknownFunction(name: string, known: readonly string[], at: number): ExpressionError {
  const instead = Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
  if (instead === undefined) return unknown("function", name, known, at);
  return new ExpressionError(`There is no function \`${name}\`.`, at, instead);
}

function unknown(what: string, name: string, known: readonly string[], at: number): ExpressionError {
  const near = closestName(name, known);
  const hint = near === undefined ? `Write one of ${known.join(", ")}.` : `Did you mean \`${near}\`?`;
  return new ExpressionError(`There is no ${what} \`${name}\`.`, at, hint);
}
