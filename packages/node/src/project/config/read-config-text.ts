import { dirname, isAbsolute, join, resolve } from "node:path";
import { ToolkeepError } from "@toolkeep/core";
import { ApproverKeys, closestName, isWithin, shapeError } from "@toolkeep/core/internal";
import type { Approvers } from "@toolkeep/core/policy";
import type { ConfigLayer, PolicyPath } from "./config.ts";
import type { ConfigDiagnostics } from "./config-diagnostics.ts";
import {
  CONFIG_KEYS,
  type ConfigKey,
  SERVER_NAME,
  TOOL_KEYS,
  TOOL_NAME,
  type ValueKind,
} from "./config-keys.ts";
import { type JsoncEntry, type JsoncNode, type Position, plainValue, readJsonc } from "./jsonc-tree.ts";

/** One setting of a file: the path of its key and its value, checked, with absolute paths. */
export interface Statement {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly layer: ConfigLayer;
  readonly file: string;
  readonly position: Position;
  /** Of a policy of a project: what is in that file. */
  readonly policy?: Pick<PolicyPath, "text" | "narrows">;
}

interface TextOptions extends ValueCheckerOptions {
  readonly layer: ConfigLayer;
  /** For a project's file: the folder that its paths must not lead out of. */
  readonly beneath?: string;
}

/** The settings of one file. What it may not set is ignored with a warning; an unknown key is an error. */
export function readConfigText(text: string, options: TextOptions): readonly Statement[] {
  const { root, errors } = readJsonc(text);
  for (const { position, message } of errors) options.diagnostics.error(position, message);
  return root === undefined ? [] : new TextReader(options).group(root, "");
}

class TextReader {
  readonly #options: TextOptions;
  readonly #checker: ValueChecker;

  constructor(options: TextOptions) {
    this.#options = options;
    this.#checker = new ValueChecker(options);
  }

  /** A part of the configuration that has keys below it; the whole is `""`. */
  group(node: JsoncNode, group: string): readonly Statement[] {
    const known = namesBelow(group);
    const entries = this.#entries(node, group === "" ? "A configuration" : `\`${group}\``);
    return entries.flatMap((entry): readonly Statement[] => {
      const { key, keyPosition, value } = entry;
      if (!known.includes(key)) return this.#options.diagnostics.unknownKey(keyPosition, key, known) ?? [];
      const path = group === "" ? key : `${group}.${key}`;
      if (path === "$schema") return [];
      if (path === "tools") return this.#tools(value);
      const spec = CONFIG_KEYS[path];
      return spec === undefined ? this.group(value, path) : this.#value(spec, path.split("."), entry);
    });
  }

  #tools(node: JsoncNode): readonly Statement[] {
    return this.#entries(node, "`tools`").flatMap(({ key: tool, keyPosition, value }) => {
      if (!TOOL_NAME.test(tool)) {
        const message = "The name of a tool has 1 to 64 letters, digits, underscores or hyphens.";
        return this.#options.diagnostics.error(keyPosition, message) ?? [];
      }
      return this.#entries(value, `\`tools.${tool}\``).flatMap((entry) => {
        const path = ["tools", tool, entry.key];
        const spec = toolKey(entry.key);
        if (spec !== undefined) return this.#value(spec, path, entry);
        return [this.#statement(path, plainValue(entry.value), entry.keyPosition)];
      });
    });
  }

  #value(
    spec: ConfigKey,
    path: readonly string[],
    { keyPosition, value: node }: JsoncEntry,
  ): readonly Statement[] {
    const name = `\`${path.join(".")}\``;
    if (spec.isManaged === true && this.#options.layer !== "managed") return this.#refused(name, keyPosition);
    const value = this.#checker.check(spec.is, { name, node });
    if (value === undefined) return [];
    const refusal = mayNotSay(spec, value, this.#options);
    if (refusal === undefined) return [this.#statement(path, value, keyPosition)];
    this.#options.diagnostics.warn(
      keyPosition,
      `${name} is passed over: ${refusal}`,
      "Set it in the user's file.",
    );
    return [];
  }

  #refused(name: string, position: Position): readonly Statement[] {
    const message = `Only the administrator can set ${name}, so it would not apply here.`;
    return this.#options.diagnostics.error(position, message, "Remove it.") ?? [];
  }

  #statement(path: readonly string[], value: unknown, position: Position): Statement {
    const { layer, file } = this.#options;
    return { path, value, layer, file, position };
  }

  #entries(node: JsoncNode, name: string): readonly JsoncEntry[] {
    if (node.kind === "object") return node.entries;
    return this.#options.diagnostics.error(node.position, `${name} is written as \`{ … }\`.`) ?? [];
  }
}

function toolKey(key: string): ConfigKey | undefined {
  return Object.hasOwn(TOOL_KEYS, key) ? TOOL_KEYS[key as keyof typeof TOOL_KEYS] : undefined;
}

/** The local file is in the project too: everyone who can commit to the project can write it. */
function mayNotSay({ is, project }: ConfigKey, value: unknown, options: TextOptions): string | undefined {
  const { layer, beneath } = options;
  if (layer !== "project" && layer !== "local") return undefined;
  if (project === "never") return "a project may not set it, because it widens what can be reached.";
  if (is.type === "path" && !(beneath !== undefined && isWithin(String(value), beneath))) {
    return "it leads out of the project.";
  }
  if (project === "any" || project.only === value) return undefined;
  return `a project may only set it to ${JSON.stringify(project.only)}.`;
}

/** A value as it is written, and how it is called when something is wrong with it. */
interface WrittenValue {
  readonly name: string;
  readonly node: JsoncNode;
}

interface ValueCheckerOptions {
  /** The file that paths are relative to. */
  readonly file: string;
  readonly home: string;
  readonly diagnostics: ConfigDiagnostics;
}

/** Checks the values of one file. An invalid value gives a diagnostic and `undefined`. */
class ValueChecker {
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
      case "shapes":
        return this.#shapes(written);
      case "text":
        return this.#text(written);
      case "words":
        return this.#items(written)?.flatMap((item) => this.#word(is.words, item) ?? []);
      case "servers":
        return this.#servers(written);
      case "approvers":
        return this.#approvers(written);
      case "paths":
        return this.#items(written)?.flatMap((item) => this.#path(item) ?? []);
      default:
        return this.#items(written)?.flatMap((item) => this.#text(item) ?? []);
    }
  }

  #text({ name, node }: WrittenValue): string | undefined {
    const text = node.kind === "scalar" && typeof node.value === "string" ? node.value : "";
    return text.trim() === "" ? this.#options.diagnostics.error(node.position, `${name} is a text.`) : text;
  }

  /** A key of two people would let the wrong person sign. */
  #approvers({ node }: WrittenValue): unknown {
    const value = plainValue(node);
    try {
      new ApproverKeys(value as Approvers);
      return value;
    } catch (error) {
      if (!ToolkeepError.isInstance(error)) throw error;
      return this.#options.diagnostics.error(node.position, error.message);
    }
  }

  /** Each with a text, or a list of texts. */
  #servers({ name, node }: WrittenValue): Readonly<Record<string, readonly string[]>> | undefined {
    const { diagnostics } = this.#options;
    if (node.kind !== "object") return diagnostics.error(node.position, `${name} is written as \`{ … }\`.`);
    const servers = node.entries.map(({ key, keyPosition, value }) => {
      if (!SERVER_NAME.test(key)) {
        const message = "The name of a server has 1 to 64 letters, digits, underscores or hyphens.";
        diagnostics.error(keyPosition, message);
      }
      const written = { name: `\`servers.${key}\``, node: value };
      const items = value.kind === "list" ? this.#items(written) : [written];
      return [key, items?.flatMap((item) => this.#text(item) ?? []) ?? []] as const;
    });
    return Object.fromEntries(servers);
  }

  #word(words: readonly string[], { name, node }: WrittenValue): string | undefined {
    const value = node.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
    if (value !== undefined && words.includes(value)) return value;
    // The mode that asks nothing is not what a typo should become.
    const safe = words.filter((word) => word !== "yolo");
    const near = value === undefined ? undefined : closestName(value, safe);
    const hint = near === undefined ? undefined : `Did you mean ${JSON.stringify(near)}?`;
    return this.#options.diagnostics.error(node.position, `${name} is one of ${words.join(", ")}.`, hint);
  }

  #items({ name, node }: WrittenValue): readonly WrittenValue[] | undefined {
    const { diagnostics } = this.#options;
    if (node.kind !== "list") return diagnostics.error(node.position, `${name} is a list.`, "Write `[…]`.");
    return node.items.map((item) => ({ name: `An entry of ${name}`, node: item }));
  }

  /** Patterns that cannot be matched in linear time are errors. */
  #shapes({ name, node }: WrittenValue): readonly object[] | undefined {
    const { diagnostics } = this.#options;
    if (node.kind !== "list") return diagnostics.error(node.position, `${name} is a list.`, "Write `[…]`.");
    const items = node.items.map((item) => {
      const shape = shapeOf(plainValue(item));
      if (shape === undefined)
        return diagnostics.error(
          item.position,
          `An entry of ${name} is written as \`{ "name": …, "pattern": … }\`.`,
        );
      const error = shapeError(shape);
      if (error === undefined) return shape;
      return diagnostics.error(item.position, `An entry of ${name} cannot be used: ${error}.`);
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

/** A name and a pattern, and nothing else. */
function shapeOf(value: unknown): { readonly name: string; readonly pattern: string } | undefined {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 2) return undefined;
  const { name, pattern } = value as { readonly name?: unknown; readonly pattern?: unknown };
  return typeof name === "string" && typeof pattern === "string" ? { name, pattern } : undefined;
}

/** The names that a part of a configuration may have: `network` has `privateHosts` and `proxy`. */
export function namesBelow(group: string): readonly string[] {
  const prefix = group === "" ? "" : `${group}.`;
  const below = Object.keys(CONFIG_KEYS).filter((key) => key.startsWith(prefix));
  const names = new Set(below.map((key) => key.slice(prefix.length).split(".")[0] ?? ""));
  return group === "" ? ["$schema", "tools", ...names] : [...names];
}
