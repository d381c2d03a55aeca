import { afterEach, expect, test } from "vitest";
import { registerTool, sharedRegistry, whileLoading } from "./register-tool.ts";

const SPEC = { description: "Says a word.", inputSchema: { type: "object" }, requires: {} } as const;
const word = (name: string) => ({ ...SPEC, name, execute: () => name });

afterEach(() => sharedRegistry.clear());

test("[C119][C17] one call at module level registers in the registry that the process shares", () => {
  const tool = registerTool({ ...word("get_word"), mode: "external" });
  expect(sharedRegistry.get("get_word")?.tool).toBe(tool);
  expect(tool).toMatchObject({ mode: "external", isModeGuessed: false });
  expect(registerTool(word("list_words")).mode).toBe("read");
});

test("[C119] a mistake throws where it is made, and registers nothing", () => {
  registerTool(word("a"));
  expect(() => registerTool(word("a"))).toThrow(/"a": \/name: The name is taken/);
  expect(() => registerTool({ ...word("b"), modus: "read" } as never)).toThrow(/modus/);
  expect(() => registerTool(word("not a name"))).toThrow(/`name` must be/);
  expect(sharedRegistry.list().map(({ name }) => name)).toEqual(["a"]);
  expect(sharedRegistry.critical).toEqual([]);
});

test("[C119] what a tool file imports registers nothing for the whole process", () => {
  const loading = () => whileLoading(() => void registerTool(word("a")));
  expect(loading).toThrow("Export it instead");
  expect(sharedRegistry.list()).toEqual([]);
  expect(registerTool(word("a")).name).toBe("a");
});
