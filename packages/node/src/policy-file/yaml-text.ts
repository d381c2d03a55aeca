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
import type { Place, PolicyDiagnostic } from "./diagnostic.ts";

/** What YAML says, with where it says it. No aliases, no tags, no merge keys. */
export type YamlNode = YamlMap | YamlList | YamlScalar;

export interface YamlMap {
  readonly kind: "map";
  readonly place: Place;
  readonly entries: readonly YamlEntry[];
}

export interface YamlEntry {
  readonly key: string;
  readonly keyLocation: Place;
  readonly value: YamlNode;
}

export interface YamlList {
  readonly kind: "list";
  readonly place: Place;
  readonly items: readonly YamlNode[];
}

interface YamlScalar {
  readonly kind: "scalar";
  readonly place: Place;
  readonly value: string | number | boolean | null;
  /** As a text, whatever YAML takes it for: `007` stays `007`. */
  readonly text: string;
  /** How many characters stand before the text's first: 1 for a quote. */
  readonly indent: number;
}

export interface YamlText {
  /** Missing when there are problems, or nothing at all. */
  readonly root?: YamlNode;
  readonly diagnostics: readonly PolicyDiagnostic[];
}

const LONGEST = 1_000_000;
const DEEPEST = 32;

/** Reads one YAML 1.2 document. Whatever is doubtful is a problem. */
export function readYaml(text: string, file: string): YamlText {
  const start = { file, line: 1, column: 1 };
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
    // Looked at below: the library compares each key with every other.
    uniqueKeys: false,
    stringKeys: true,
    merge: false,
    resolveKnownTags: false,
    prettyErrors: false,
    // At "silent" a second document would go unnoticed.
    logLevel: "error",
    lineCounter: lines,
  });
  const diagnostics = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    file,
    ...placeAt(lines, pos[0]),
    message: `This is no proper YAML: ${message.replace(/\.?$/, ".")}`,
  }));
  if (diagnostics.length > 0) return { diagnostics };
  if (document.contents === null) return { diagnostics: [] };
  return new Conversion(lines, file).run(document.contents);
}

/** Turns the library's nodes into ours and collects what it meets on the way. */
class Conversion {
  readonly #lines: LineCounter;
  readonly #file: string;
  readonly #diagnostics: PolicyDiagnostic[] = [];

  constructor(lines: LineCounter, file: string) {
    this.#lines = lines;
    this.#file = file;
  }

  run(node: Node): YamlText {
    const root = this.#convert(node, 0);
    return this.#diagnostics.length > 0 ? { diagnostics: this.#diagnostics } : { root, diagnostics: [] };
  }

  #convert(node: unknown, depth: number): YamlNode {
    const place = this.#placeOf(node);
    if (depth > DEEPEST) return this.#refuse(place, "This is nested too deeply.");
    if (isAlias(node)) return this.#refuse(place, "Aliases are not understood here.", "Write it out.");
    if (!isScalar(node) && !isCollection(node)) return this.#refuse(place, "This is no plain YAML.");
    if (node.anchor !== undefined) this.#refuse(place, "Anchors are not understood here.", "Write it out.");
    if (node.tag !== undefined) this.#refuse(place, "Tags are not understood here.", "Leave it out.");
    if (isScalar(node)) return scalarOf(node, place);
    if (isSeq(node)) {
      return { kind: "list", place, items: node.items.map((item) => this.#convert(item, depth + 1)) };
    }
    const seen = new Set<string>();
    const entries = node.items.flatMap((item) => {
      if (!isPair(item)) return [];
      const key = isScalar(item.key) ? String(item.key.value) : "";
      if (seen.has(key)) this.#refuse(this.#placeOf(item.key), "Keys are unique; this one is there already.");
      seen.add(key);
      return { key, keyLocation: this.#placeOf(item.key), value: this.#convert(item.value, depth + 1) };
    });
    return { kind: "map", place, entries };
  }

  #refuse(place: Place, message: string, instead?: string): YamlScalar {
    this.#diagnostics.push({
      file: this.#file,
      ...place,
      message,
      ...(instead === undefined ? {} : { instead }),
    });
    return { kind: "scalar", place, value: null, text: "", indent: 0 };
  }

  #placeOf(node: unknown): Place {
    const range = isNode(node) ? node.range : undefined;
    return range ? placeAt(this.#lines, range[0]) : { line: 1, column: 1 };
  }
}

function scalarOf(scalar: Scalar, place: Place): YamlScalar {
  const { value, source, type } = scalar;
  const plain =
    typeof value === "number" || typeof value === "boolean" || value === null ? value : String(value);
  const text = typeof plain === "string" ? plain : (source ?? String(plain));
  return { kind: "scalar", place, value: plain, text, indent: type?.startsWith("QUOTE") ? 1 : 0 };
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
