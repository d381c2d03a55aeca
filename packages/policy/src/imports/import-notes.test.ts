import { expect, test } from "vitest";
import { importClaude } from "./import-claude.ts";
import { importGemini } from "./import-gemini.ts";

const OPTIONS = { file: "settings.json" };

test("every entry that becomes stricter or is dropped is noted with its line and the reason", () => {
  const text = `{
  // as a person writes it
  "permissions": {
    "allow": [
      "Bash(git:*)",
      "Bash(* --version)",
      "Bash(a && b)",
      "Bash(ls*)",
      "Write(docs/**)",
      "Read(~/notes/**)",
      "Read(*.md)",
      "Agent(Explore)",
      "NotebookEdit",
      "mcp__*",
      "nonsense here"
    ],
    "deny": ["Bash(* --force)", "Read([ab].env)", "Frobnicate", "Read(../x)", "odd-one"],
    "additionalDirectories": ["/other"],
    "defaultMode": "bypassPermissions"
  }
}`;
  const { notes, diagnostics } = importClaude(text, OPTIONS);
  expect(diagnostics).toEqual([]);
  const noteOf = (entry: string) =>
    notes
      .filter((note) => note.entry === entry)
      .map(({ line, what, why }) => `${line} ${what}: ${why}`)
      .join("\n");
  expect(noteOf("Bash(git:*)")).toMatch(
    /^5 stricter: the `\*` covers an option only if it is known to be harmless/,
  );
  expect(noteOf("Bash(* --version)")).toBe("6 dropped: it would allow any program");
  expect(noteOf("Bash(a && b)")).toMatch(/^7 dropped: .*one entry for each/);
  expect(noteOf("Bash(ls*)")).toMatch(/^8 stricter: the program is ls alone/);
  expect(noteOf("Write(docs/**)")).toMatch(/^9 dropped: .*write Edit/);
  expect(noteOf("Read(~/notes/**)")).toMatch(/^10 dropped: .*`~`/);
  expect(noteOf("Read(*.md)")).toMatch(/^11 stricter: .*top of the workspace/);
  for (const [line, entry] of [
    [12, "Agent(Explore)"],
    [13, "NotebookEdit"],
    [14, "mcp__*"],
    [15, "nonsense here"],
  ]) {
    expect(noteOf(String(entry))).toMatch(new RegExp(`^${line} dropped: `));
  }
  expect(noteOf("Bash(* --force)")).toMatch(/^17 stricter: .*every command/);
  expect(noteOf("Read([ab].env)")).toMatch(/^17 stricter: /);
  expect(noteOf("Read(../x)")).toMatch(/anywhere/);
  expect(noteOf("odd-one")).toMatch(/applies to everything/);
  expect(noteOf("Frobnicate")).toMatch(/no such tool/);
  expect(noteOf("additionalDirectories")).toMatch(/^18 dropped/);
  expect(noteOf("defaultMode: bypassPermissions")).toMatch(/^19 dropped/);
});

test("rules name their file and line", () => {
  const { rules } = importClaude('{"permissions":\n{"deny":\n["Bash(rm:*)"]}}', {
    ...OPTIONS,
    scope: "manifest",
  });
  expect(rules[0]).toEqual({
    permission: "shell.run",
    pattern: "rm *",
    action: "deny",
    scope: "manifest",
    at: "settings.json:3",
  });
});

test("an invalid file gives no rules", () => {
  for (const text of ["", "[]", "{", '{"permissions":{"deny":"Bash"}}', '{"permissions":{"deny":[1]}}']) {
    const { rules, diagnostics } = importClaude(text, OPTIONS);
    expect([rules.length, diagnostics.length], text).toEqual([0, 1]);
  }
  expect(importGemini('{"tools":{"exclude":{}}}', OPTIONS)).toMatchObject({
    rules: [],
    diagnostics: [{ line: 1 }],
  });
});

test("settings of Gemini CLI that are not imported are noted", () => {
  const { notes } = importGemini(
    '{"mcpServers":{"a":{"trust":true}},"tools":{"core":["save_memory"]}}',
    OPTIONS,
  );
  expect(notes.map(({ entry, what }) => [entry, what])).toEqual(
    expect.arrayContaining([
      ["mcpServers", "dropped"],
      ["save_memory", "dropped"],
    ]),
  );
});
