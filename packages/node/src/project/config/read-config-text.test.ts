import { describe, expect, test } from "vitest";
import { ConfigDiagnostics, formatConfigDiagnostic } from "./config-diagnostics.ts";
import { readConfigText } from "./read-config-text.ts";

function read(text: string) {
  const diagnostics = new ConfigDiagnostics("c.jsonc");
  const statements = readConfigText(text, {
    layer: "user",
    file: "/f/c.jsonc",
    home: "/home/ada",
    diagnostics,
  });
  return { statements, diagnostics: diagnostics.all.map(formatConfigDiagnostic) };
}

describe("a diagnostic has a position and says what to write instead", () => {
  test.each([
    ['{\n  "sandbx": {}\n}', 'c.jsonc:2:3: error: Unknown key "sandbx". Did you mean `sandbox`?'],
    [
      '{ "sandbox": { "requird": true } }',
      'c.jsonc:1:16: error: Unknown key "requird". Did you mean `required`?',
    ],
    ['{ "zzzzzz": 1 }', /c\.jsonc:1:3: error: Unknown key "zzzzzz"\. Write one of \$schema, tools, mode/],
    [
      '{ "mode": "allowlst" }',
      'c.jsonc:1:11: error: `mode` is one of ask, allowlist, yolo, observe. Did you mean "allowlist"?',
    ],
    ['{ "mode": 1 }', /`mode` is one of/],
    ['{ "sandbox": { "required": "yes" } }', /1:28: error: `sandbox\.required` is true or false/],
    ['{ "sandbox": [] }', /`sandbox` is written as `{ … }`/],
    ['{ "journal": { "keepDays": 0.5 } }', /`journal\.keepDays` is a whole number above 0/],
    ['{ "denied": "bash" }', /`denied` is a list/],
    ['{ "denied": ["bash", 3] }', /1:22: error: An entry of `denied` is a text/],
    ['{ "environment": { "pass": ["AWS_*"] } }', /Only the administrator can set `environment`/],
    ['{ "sandbox": { "prefer": "none" } }', /Unknown key "prefer"/],
    ['{ "roots": [""] }', /An entry of `roots` is a path/],
    ['{ "policy": "a\\u0000b" }', /`policy` is a path/],
    ['{ "tools": { "not a name": {} } }', /1:14: error: The name of a tool has/],
    ['{ "tools": { "bash": true } }', /`tools\.bash` is written as/],
    ['{ "tools": { "bash": { "timeoutMs": -1 } } }', /`tools\.bash\.timeoutMs` is a whole number/],
    ['{ "mode": "ask", "mode": "yolo" }', 'c.jsonc:1:18: error: The key "mode" occurs twice.'],
    ['{ "tools": { "bash": { "__proto__": { "x": 1 } } } }', /The key `__proto__` is not allowed/],
    ["[]", /A configuration is written as/],
    ["", /The file is empty/],
    ["// only a comment", /The file is empty/],
    ['{ "mode": }', /1:11: error: This is not JSON: value expected/],
    ['{ "mode": "ask" ', /This is not JSON: close brace expected/],
    ["{} {}", /This is not JSON/],
  ])("%s", (text, expected) => {
    const { statements, diagnostics } = read(text);
    expect(diagnostics.length).toBeGreaterThan(0);
    if (typeof expected === "string") expect(diagnostics).toContain(expected);
    else expect(diagnostics.join("\n")).toMatch(expected);
    expect(statements.map(({ path }) => path.join("."))).not.toContain("tools.bash.__proto__");
  });

  test("a file that is nested without end is refused with a message", () => {
    expect(read("[".repeat(200_000)).diagnostics).not.toEqual([]);
    expect(read(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`).diagnostics).not.toEqual([]);
  });

  test("control characters are made visible", () => {
    expect(read('{ "a\\u001b[2Jb": 1 }').diagnostics.join()).not.toContain("\u001b");
  });
});
