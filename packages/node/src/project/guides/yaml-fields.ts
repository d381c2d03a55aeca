import type { Diagnostic } from "@toolkeep/core";
import { unknownKey } from "@toolkeep/core/internal";
import { readYaml } from "@toolkeep/policy/internal";

type YamlNode = NonNullable<ReturnType<typeof readYaml>["root"]>;
type YamlMap = Extract<YamlNode, { readonly kind: "map" }>;

/** The fields of a small YAML file. Whatever is wrong with it is collected, and the file is not used then. */
export class YamlFields {
  readonly errors: Diagnostic[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The top of a file. */
  read(text: string, known: readonly string[]): YamlMap | undefined {
    const { root, diagnostics } = readYaml(text, this.#file);
    for (const { message, line, column } of diagnostics) this.#refuse({ line, column }, message);
    if (diagnostics.length > 0) return undefined;
    if (root === undefined) this.#refuse({ line: 1, column: 1 }, "The file is empty.");
    return root === undefined ? undefined : this.map(root, known);
  }

  map(node: YamlNode, known: readonly string[]): YamlMap | undefined {
    if (node.kind !== "map") {
      this.#refuse(
        node.position,
        `This must have the fields ${known.map((key) => `\`${key}\``).join(", ")}.`,
      );
      return undefined;
    }
    for (const { key, keyPosition } of node.entries)
      if (!known.includes(key)) this.#refuse(keyPosition, unknownKey(key, known, "field"));
    return node;
  }

  /** A text that must be there. */
  text(map: YamlMap, key: string): string {
    const text = this.optionalText(map, key);
    if (text === undefined) this.#refuse(map.position, `The field \`${key}\` is missing.`);
    return text ?? "";
  }

  optionalText(map: YamlMap, key: string): string | undefined {
    const node = field(map, key);
    if (node === undefined) return undefined;
    const text = node.kind === "scalar" ? node.text.trim() : "";
    if (text === "") this.#refuse(node.position, `The field \`${key}\` must be a text.`);
    return text;
  }

  /** One text, or a list of texts. */
  texts(map: YamlMap, key: string): readonly string[] | undefined {
    const node = field(map, key);
    if (node === undefined) return undefined;
    return (node.kind === "list" ? node.items : [node]).map((item) => {
      const text = item.kind === "scalar" ? item.text.trim() : "";
      if (text === "") this.#refuse(item.position, `The field \`${key}\` must be a text or a list of texts.`);
      return text;
    });
  }

  items(map: YamlMap, key: string): readonly YamlNode[] {
    const node = field(map, key);
    if (node?.kind === "list" && node.items.length > 0) return node.items;
    this.#refuse(
      node?.position ?? map.position,
      `The field \`${key}\` must be a list with one entry at least.`,
    );
    return [];
  }

  #refuse({ line, column }: { readonly line?: number; readonly column?: number }, message: string): void {
    const at = { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
    this.errors.push({ code: "invalid_guide", file: this.#file, ...at, message });
  }
}

function field(map: YamlMap, key: string): YamlNode | undefined {
  return map.entries.find((entry) => entry.key === key)?.value;
}
