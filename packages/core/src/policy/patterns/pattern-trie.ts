import { TextTable } from "./text-table.ts";

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

/** Patterns by their units: the segments of a path, the words of a command. */
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
