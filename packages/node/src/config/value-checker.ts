import { dirname, isAbsolute, join, resolve } from "node:path";
import { closestName } from "@toolkeep/core/internal";
import type { ConfigDiagnostics } from "./config-diagnostics.ts";
import { VARIABLE_NAME, type ValueKind } from "./config-keys.ts";
import type { JsoncNode } from "./jsonc-tree.ts";

/** A value as it is written, and how it is called when something is wrong with it. */
export interface WrittenValue {
  readonly name: string;
  readonly node: JsoncNode;
}

export interface ValueCheckerOptions {
  /** The file that paths are relative to. */
  readonly file: string;
  readonly home: string;
  readonly diagnostics: ConfigDiagnostics;
}

/** Checks values of one file. What is not right is a problem, and `undefined`. */
export class ValueChecker {
  readonly #options: ValueCheckerOptions;

  constructor(options: ValueCheckerOptions) {
    this.#options = options;
  }

  check(is: ValueKind, written: WrittenValue): unknown {
    const { name, node } = written;
    const { diagnostics } = this.#options;
    const value = node.kind === "scalar" ? node.value : undefined;
    switch (is.type) {
      case "word":
        return this.#word(is.words, written);
      case "flag":
        return typeof value === "boolean"
          ? value
          : diagnostics.error(node.position, `${name} is true or false.`);
      case "count":
        if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
        return diagnostics.error(node.position, `${name} is a whole number above 0.`);
      case "path":
        return this.#path(written);
      default:
        return this.#list(is.type, written);
    }
  }

  #word(words: readonly string[], { name, node }: WrittenValue): string | undefined {
    const value = node.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
    if (value !== undefined && words.includes(value)) return value;
    const near = value === undefined ? undefined : closestName(value, words);
    const hint = near === undefined ? undefined : `Did you mean ${JSON.stringify(near)}?`;
    return this.#options.diagnostics.error(node.position, `${name} is one of ${words.join(", ")}.`, hint);
  }

  #list(type: "texts" | "names" | "paths", { name, node }: WrittenValue): readonly string[] | undefined {
    const { diagnostics } = this.#options;
    if (node.kind !== "list") return diagnostics.error(node.position, `${name} is a list.`, "Write `[…]`.");
    const items = node.items.map((item) => {
      if (type === "paths") return this.#path({ name: `An entry of ${name}`, node: item });
      const text = item.kind === "scalar" && typeof item.value === "string" ? item.value : "";
      if (text.trim() === "") return diagnostics.error(item.position, `An entry of ${name} is a text.`);
      if (type === "texts" || VARIABLE_NAME.test(text)) return text;
      return diagnostics.error(
        item.position,
        `An entry of ${name} is the name of one value, without patterns.`,
      );
    });
    return items.filter((item) => item !== undefined);
  }

  /** Relative to the folder of its file; `~` is the home folder. */
  #path({ name, node }: WrittenValue): string | undefined {
    const { file, home, diagnostics } = this.#options;
    const text = node.kind === "scalar" ? node.value : undefined;
    if (typeof text !== "string" || text.trim() === "" || text.includes("\0")) {
      return diagnostics.error(node.position, `${name} is a path.`);
    }
    if (text === "~" || text.startsWith("~/")) return join(home, text.slice(1));
    return isAbsolute(text) ? resolve(text) : resolve(dirname(file), text);
  }
}
