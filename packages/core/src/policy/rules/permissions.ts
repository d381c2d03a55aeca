import type { PolicyTool } from "../../contract/policy/policy-call.ts";
import { compileGlob, type TargetPattern } from "../patterns/compile-glob.ts";
import { mcpAddress } from "./called-action.ts";

/** The rules of a permission, and how closely the permission names the tool or the capability. */
export interface Named<Value> {
  readonly level: number;
  readonly index: Value;
}

const ACTION = 4;
const ANY_ACTION = 3;
const NAME = 2;
const ANY_NAME = 1;
const MOST_REMEMBERED = 10_000;

/** Finds the rules whose permission names a tool or a capability. */
export class Permissions<Value> {
  readonly #exact: ReadonlyMap<string, Value>;
  readonly #wild: readonly { readonly pattern: TargetPattern; readonly index: Value }[];
  readonly #known = new Map<string, readonly Named<Value>[]>();

  constructor(byPermission: ReadonlyMap<string, Value>) {
    const entries = [...byPermission].filter(([permission]) => permission !== "*");
    this.#exact = new Map(entries.filter(([permission]) => !permission.includes("*")));
    this.#wild = entries
      .filter(([permission]) => permission.includes("*"))
      .map(([permission, index]) => ({ pattern: compileGlob(permission), index }));
  }

  /** A tool is named by its name, by the chosen action, and by its address on an MCP server. */
  ofTool(tool: PolicyTool, action: string | undefined): readonly Named<Value>[] {
    const { name } = tool;
    const address = mcpAddress(tool);
    return this.#remember(`${name}\n${action ?? ""}\n${address ?? ""}`, () => [
      ...(action === undefined ? [] : this.#under(`${name}.${action}`, ACTION, ANY_ACTION)),
      ...this.#under(name, NAME, ANY_NAME),
      ...(address === undefined ? [] : this.#under(address, NAME, ANY_NAME)),
    ]);
  }

  /** All at one level: a long pattern on `fs.*` is more specific than a short one on `fs.read`. */
  ofCapability(capability: string): readonly Named<Value>[] {
    return this.#remember(`\n${capability}`, () => this.#under(capability, NAME, NAME));
  }

  #under(name: string, exactly: number, roughly: number): readonly Named<Value>[] {
    const exact = this.#exact.get(name);
    const wild = this.#wild.filter(({ pattern }) => pattern.matches(name, "text"));
    return [
      ...(exact === undefined ? [] : [{ level: exactly, index: exact }]),
      ...wild.map(({ index }) => ({ level: roughly, index })),
    ];
  }

  #remember(key: string, find: () => readonly Named<Value>[]): readonly Named<Value>[] {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    const found = find();
    this.#known.set(key, found);
    return found;
  }
}
