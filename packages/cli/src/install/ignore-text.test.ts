import { expect, test } from "vitest";
import { ignoreText } from "./ignore-text.ts";

const ask = (file: string, rules: string, textBefore = "") => ignoreText({ file, rules, textBefore });

test.each([
  [".mcp.json", ".mcp.json"],
  [".mcp.json", "node_modules\r\n/.mcp.json\r\n"],
  [".mcp.json", "**/.mcp.json"],
  [".cursor/mcp.json", ".cursor/"],
  [".cursor/mcp.json", "/.cursor/mcp.json"],
])("%s was ignored by %j, so what it held stays ignored", (file, rules) => {
  expect(ask(file, rules)).toBe("mcp.json\n");
});

test.each([
  ["nothing ignores it", ".mcp.json", "node_modules\n# .mcp.json\n\n", ""],
  ["it is taken back", ".mcp.json", ".mcp.json\n!.mcp.json\n", ""],
  ["the new file is ignored as well", ".mcp.json", ".mcp.json\n.toolkeep/\n", ""],
  ["it is said already", ".mcp.json", ".mcp.json\n", "other\nmcp.json\n"],
])("nothing is written where %s", (_why, file, rules, before) => {
  expect(ask(file, rules, before)).toBeUndefined();
});

test("what is there stays", () => {
  expect(ask(".mcp.json", ".mcp.json", "other")).toBe("other\nmcp.json\n");
});
