import { expect, test } from "vitest";
import { ignoreText } from "./ignore-text.ts";

const ask = (file: string, rules: string, textBefore = "") => ignoreText({ file, rules, textBefore });

test.each([
  [".mcp.json", ".mcp.json"],
  [".mcp.json", "node_modules\r\n/.mcp.json\r\n"],
  [".mcp.json", "**/.mcp.json"],
  [".cursor/mcp.json", ".cursor/"],
  [".cursor/mcp.json", "/.cursor/mcp.json"],
])("%s is ignored by %j, so the moved servers are ignored too", (file, rules) => {
  expect(ask(file, rules)).toBe("mcp.json\n");
});

test.each([
  ["nothing ignores it", ".mcp.json", "node_modules\n# .mcp.json\n\n", ""],
  ["a later rule includes it", ".mcp.json", ".mcp.json\n!.mcp.json\n", ""],
  ["the new file is ignored too", ".mcp.json", ".mcp.json\n.toolkeep/\n", ""],
  ["the rule exists already", ".mcp.json", ".mcp.json\n", "other\nmcp.json\n"],
])("nothing is written if %s", (_why, file, rules, before) => {
  expect(ask(file, rules, before)).toBeUndefined();
});

test("existing rules are kept", () => {
  expect(ask(".mcp.json", ".mcp.json", "other")).toBe("other\nmcp.json\n");
});
