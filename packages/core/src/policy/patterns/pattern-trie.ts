import { coversText, isWildText, literalEnd, literalStart } from "../../file-names/text-pattern.ts";

/** Where the patterns are that begin alike. */
class Node<Leaf> {
  /** Patterns that go on after one more unit. */
  inner: TextTable<Node<Leaf>> | undefined;
  /** Patterns that end with one more unit. */
  last: TextTable<Leaf[]> | undefined;
  /** Patterns that go on after any number of units. */
  floating: Node<Leaf> | undefined;
  /** Patterns that end with any number of units. */
  readonly open: Leaf[] = [];
  readonly isFloating: boolean;
  /** The step of a walk that was here last. */
  step = 0;

  constructor(isFloating: boolean) {
    this.isFloating = isFloating;
  }
}

/** Patterns by their units: the segments of a path, the arguments of a command. */
export class PatternTrie<Leaf> {
  readonly #root = new Node<Leaf>(false);
  #step = 0;

  /** In `units` a `**` is any number of them. An open pattern ends with any number too. */
  add(units: readonly string[], isOpen: boolean, leaf: Leaf): void {
    const inner = isOpen ? units : units.slice(0, -1);
    let node = this.#root;
    for (const unit of inner) node = unit === "**" ? floatingOf(node) : innerOf(node, unit);
    if (isOpen) node.open.push(leaf);
    else {
      node.last ??= new TextTable();
      node.last.at(units.at(-1) ?? "", () => []).push(leaf);
    }
  }

  /**
   * Adds the leaves of all patterns that cover the units, some perhaps twice. A wildcard covers only
   * units that are free; all are where nothing is said.
   */
  walk(units: readonly string[], free: readonly boolean[] | undefined, found: Leaf[]): void {
    const restIsFreeFrom = free === undefined ? 0 : free.lastIndexOf(false) + 1;
    const last = units.length - 1;
    this.#step += 1;
    let here: Node<Leaf>[] = [];
    this.#reach(this.#root, restIsFreeFrom === 0, here, found);
    for (let index = 0; index <= last && here.length > 0; index += 1) {
      const unit = units[index] as string;
      const isFree = free === undefined || free[index] === true;
      const next: Node<Leaf>[] = [];
      this.#step += 1;
      for (const node of here) {
        if (index === last) addLast(node, unit, isFree, found);
        else if (node.isFloating) this.#reach(node, false, next, found);
        if (node.inner === undefined) continue;
        const isRestFree = index + 1 >= restIsFreeFrom;
        for (const child of node.inner.collect(unit, isFree)) this.#reach(child, isRestFree, next, found);
      }
      here = next;
    }
  }

  #reach(node: Node<Leaf>, isRestFree: boolean, next: Node<Leaf>[], found: Leaf[]): void {
    if (node.step === this.#step) return;
    node.step = this.#step;
    next.push(node);
    if (isRestFree) for (const leaf of node.open) found.push(leaf);
    if (node.floating !== undefined) this.#reach(node.floating, false, next, found);
  }
}

function addLast<Leaf>(node: Node<Leaf>, unit: string, isFree: boolean, found: Leaf[]): void {
  if (node.last === undefined) return;
  for (const leaves of node.last.collect(unit, isFree)) for (const leaf of leaves) found.push(leaf);
}

function innerOf<Leaf>(node: Node<Leaf>, unit: string): Node<Leaf> {
  node.inner ??= new TextTable();
  return node.inner.at(unit, () => new Node<Leaf>(false));
}

function floatingOf<Leaf>(node: Node<Leaf>): Node<Leaf> {
  node.floating ??= new Node<Leaf>(true);
  return node.floating;
}

/** Values under text patterns. A text is held only against those that begin or end as it does. */
export class TextTable<Value> {
  readonly #literals = new Map<string, Value>();
  #wild: WildTable<Value> | undefined;

  /** What stands under the pattern. It is made where there is nothing yet. */
  at(pattern: string, make: () => Value): Value {
    if (isWildText(pattern)) {
      this.#wild ??= new WildTable();
      return this.#wild.at(pattern, make);
    }
    const known = this.#literals.get(pattern);
    if (known !== undefined) return known;
    const value = make();
    this.#literals.set(pattern, value);
    return value;
  }

  /** What stands under the patterns that cover the text; under those led by a wildcard only where it is free. */
  collect(text: string, isFree: boolean): readonly Value[] {
    const literal = this.#literals.get(text);
    const wild = this.#wild?.collect(text, isFree) ?? NONE;
    if (literal === undefined) return wild;
    return wild.length === 0 ? [literal] : [literal, ...wild];
  }
}

const NONE: readonly never[] = [];

interface Wild<Value> {
  readonly pattern: string;
  readonly isLed: boolean;
  readonly value: Value;
}

class WildTable<Value> {
  readonly #known = new Map<string, Wild<Value>>();
  readonly #byStart = new EdgeTable<Wild<Value>>(false);
  readonly #byEnd = new EdgeTable<Wild<Value>>(true);
  readonly #others: Wild<Value>[] = [];

  at(pattern: string, make: () => Value): Value {
    const known = this.#known.get(pattern);
    if (known !== undefined) return known.value;
    const start = literalStart(pattern);
    const end = literalEnd(pattern);
    const wild = { pattern, isLed: start === "", value: make() };
    this.#known.set(pattern, wild);
    if (start === "" && end === "") this.#others.push(wild);
    else if (start.length > end.length) this.#byStart.add(start, wild);
    else this.#byEnd.add(end, wild);
    return wild.value;
  }

  collect(text: string, isFree: boolean): readonly Value[] {
    const candidates = this.#others.slice();
    this.#byStart.collect(text, candidates);
    this.#byEnd.collect(text, candidates);
    if (candidates.length === 0) return NONE;
    return candidates
      .filter(({ pattern, isLed }) => (isFree || !isLed) && coversText(pattern, text))
      .map(({ value }) => value);
  }
}

/** Values by what a text begins with, or ends with. One pass over its edge finds them, without cutting it. */
class EdgeTable<Value> {
  readonly #isEnd: boolean;
  readonly #byHash = new Map<number, Value[]>();
  /** Whether there is an edge of this length. */
  readonly #lengths: boolean[] = [false];

  constructor(isEnd: boolean) {
    this.#isEnd = isEnd;
  }

  add(edge: string, value: Value): void {
    let hash = 0;
    for (let at = 0; at < edge.length; at += 1) hash = mixed(hash, this.#charAt(edge, at));
    while (this.#lengths.length <= edge.length) this.#lengths.push(false);
    this.#lengths[edge.length] = true;
    const known = this.#byHash.get(hash);
    if (known === undefined) this.#byHash.set(hash, [value]);
    else known.push(value);
  }

  /** Adds the values whose edge the text may have: different edges may share a hash. */
  collect(text: string, into: Value[]): void {
    const end = Math.min(text.length, this.#lengths.length - 1);
    let hash = 0;
    for (let at = 0; at < end; at += 1) {
      hash = mixed(hash, this.#charAt(text, at));
      if (this.#lengths[at + 1] !== true) continue;
      const values = this.#byHash.get(hash);
      if (values !== undefined) for (const value of values) into.push(value);
    }
  }

  #charAt(text: string, at: number): number {
    return text.charCodeAt(this.#isEnd ? text.length - 1 - at : at);
  }
}

/** Stays among the small integers, which a map finds fastest. */
function mixed(hash: number, char: number): number {
  return (Math.imul(hash, 31) + char + 1) & 0x3fffffff;
}
