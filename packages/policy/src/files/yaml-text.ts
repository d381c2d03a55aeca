import {
  isAlias,
  isCollection,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
} from "yaml";
import type { FileDiagnostic, Position } from "./policy-file.ts";

/** A YAML value with its position. Aliases, tags and merge keys are not supported. */
export type YamlNode = YamlMap | YamlList | YamlScalar;

export interface YamlMap {
  readonly kind: "map";
  readonly position: Position;
  readonly entries: readonly YamlEntry[];
}

export interface YamlEntry {
  readonly key: string;
  readonly keyPosition: Position;
  readonly value: YamlNode;
}

export interface YamlList {
  readonly kind: "list";
  readonly position: Position;
  readonly items: readonly YamlNode[];
}

interface YamlScalar {
  readonly kind: "scalar";
  readonly position: Position;
  readonly value: string | number | boolean | null;
  /** The source text, whatever its YAML type: `007` stays `007`. */
  readonly text: string;
  /** How many characters precede the text: 1 for a quote. */
  readonly indent: number;
}

export interface YamlText {
  /** Missing if there are diagnostics, or the file is empty. */
  readonly root?: YamlNode;
  readonly diagnostics: readonly FileDiagnostic[];
}

const LONGEST = 1_000_000;
const DEEPEST = 32;

/** Reads one YAML 1.2 document. Everything ambiguous is an error. */
export function readYaml(text: string, file: string): YamlText {
  const start = { code: "invalid_yaml", file, line: 1, column: 1 };
  if (text.length > LONGEST) {
    return { diagnostics: [{ ...start, message: `The file is longer than ${LONGEST} characters.` }] };
  }
  try {
    return readDocument(text, file);
  } catch {
    return { diagnostics: [{ ...start, message: "The file cannot be read: it is nested too deeply." }] };
  }
}

function readDocument(text: string, file: string): YamlText {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    strict: true,
    // Checked below: the library compares each key with every other.
    uniqueKeys: false,
    stringKeys: true,
    merge: false,
    resolveKnownTags: false,
    prettyErrors: false,
    // With "silent" the library ignores a second document.
    logLevel: "error",
    lineCounter: lines,
  });
  const diagnostics = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    code: "invalid_yaml",
    file,
    ...positionAt(lines, pos[0]),
    message: `Invalid YAML: ${message.replace(/\.?$/, ".")}`,
  }));
  if (diagnostics.length > 0) return { diagnostics };
  if (document.contents === null) return { diagnostics: [] };
  return new Conversion(lines, file).run(document.contents);
}

/** Converts the nodes of the library and collects diagnostics. */
class Conversion {
  readonly #lines: LineCounter;
  readonly #file: string;
  readonly #diagnostics: FileDiagnostic[] = [];

  constructor(lines: LineCounter, file: string) {
    this.#lines = lines;
    this.#file = file;
  }

  run(node: Node): YamlText {
    const root = this.#convert(node, 0);
    return this.#diagnostics.length > 0 ? { diagnostics: this.#diagnostics } : { root, diagnostics: [] };
  }

  #convert(node: unknown, depth: number): YamlNode {
    const position = this.#positionOf(node);
    if (depth > DEEPEST) return this.#refuse(position, "This is nested too deeply.");
    if (isAlias(node)) return this.#refuse(position, "Aliases are not supported.", "Repeat the value.");
    if (!isScalar(node) && !isCollection(node)) return this.#refuse(position, "This is not plain YAML.");
    if (node.anchor !== undefined) this.#refuse(position, "Anchors are not supported.", "Remove it.");
    if (node.tag !== undefined) this.#refuse(position, "Tags are not supported.", "Remove it.");
    if (isScalar(node)) return scalarOf(node, position);
    if (isSeq(node)) {
      return { kind: "list", position, items: node.items.map((item) => this.#convert(item, depth + 1)) };
    }
    const seen = new Set<string>();
    const entries = node.items.flatMap((item) => {
      if (!isPair(item)) return [];
      const key = isScalar(item.key) ? String(item.key.value) : "";
      if (seen.has(key))
        this.#refuse(this.#positionOf(item.key), "Keys must be unique; this key exists already.");
      seen.add(key);
      return { key, keyPosition: this.#positionOf(item.key), value: this.#convert(item.value, depth + 1) };
    });
    return { kind: "map", position, entries };
  }

  #refuse(position: Position, message: string, hint?: string): YamlScalar {
    const code = "invalid_yaml";
    this.#diagnostics.push({
      ...{ code, file: this.#file, ...position, message },
      ...(hint === undefined ? {} : { hint }),
    });
    return { kind: "scalar", position, value: null, text: "", indent: 0 };
  }

  #positionOf(node: unknown): Position {
    const range = isNode(node) ? node.range : undefined;
    return range ? positionAt(this.#lines, range[0]) : { line: 1, column: 1 };
  }
}

function scalarOf(scalar: Scalar, position: Position): YamlScalar {
  const { value, source, type } = scalar;
  const plain =
    typeof value === "number" || typeof value === "boolean" || value === null ? value : String(value);
  const text = typeof plain === "string" ? plain : (source ?? String(plain));
  return { kind: "scalar", position, value: plain, text, indent: type?.startsWith("QUOTE") ? 1 : 0 };
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
