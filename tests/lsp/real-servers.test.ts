import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ask,
  has,
  installPackages,
  installServers,
  linkPrograms,
  NO_SANDBOX,
  openLspProject,
  textOf,
} from "./lsp-project.ts";

let installed: ReturnType<typeof installServers>;
beforeAll(() => {
  installed = installServers();
});
afterAll(() => installed.remove());

describe.skipIf(NO_SANDBOX !== "")(`language servers in the sandbox${NO_SANDBOX}`, () => {
  test("[C55] TypeScript, as the project has it installed", async () => {
    await using project = await openLspProject({
      "tsconfig.json": '{ "compilerOptions": { "strict": true, "noEmit": true } }',
      "src/greet.ts": "export function greet(name: string): string {\n  return name;\n}\n",
      "src/main.ts": 'import { greet } from "./greet";\n\ngreet("you");\ngreet(1);\n',
    });
    const packages = join(project.root, "node_modules");
    installPackages(packages, ["typescript"]);
    linkPrograms(join(packages, ".bin"), "..", ["typescript"]);
    await using session = await project.openSession();
    const at = { path: "src/main.ts", line: 3, symbol: "greet" };
    expect(await textOf(session, { action: "definition", ...at })).toBe(
      "src/greet.ts:1:17: export function greet(name: string): string {",
    );
    expect((await ask(session, { action: "references", ...at })).data).toMatchObject({ total: 4 });
    expect(await textOf(session, { action: "hover", ...at })).toContain("greet(name: string): string");
    expect(await textOf(session, { action: "diagnostics", path: "src/main.ts" })).toMatch(
      /^src\/main\.ts:4:7: error: Argument of type 'number'.*\(2345\)$/,
    );
    project.write({ "src/greet.ts": "export function greet(name: number): number {\n  return name;\n}\n" });
    expect(await textOf(session, { action: "diagnostics", path: "src/main.ts" })).toMatch(
      /^src\/main\.ts:3:7: error: Argument of type 'string'/,
    );
    expect(await textOf(session, { action: "symbols", path: "src/main.ts", query: "greet" })).toContain(
      "src/greet.ts:1:17: function greet",
    );
    expect(await textOf(session, { action: "symbols", path: "src/greet.ts" })).toBe(
      "src/greet.ts:1:17: function greet",
    );
    expect(project.asked).toEqual([]);
  });

  test("[C55] Pyright, on the search path", async () => {
    await using project = await openLspProject(
      {
        "pyrightconfig.json": "{}",
        "greet.py": "def greet(name: str) -> str:\n    return name\n",
        "main.py": 'from greet import greet\n\ngreet("you")\ngreet(1)\n',
      },
      { path: [installed.bin] },
    );
    await using session = await project.openSession();
    const at = { path: "main.py", line: 3, symbol: "greet" };
    expect(await textOf(session, { action: "definition", ...at })).toBe(
      "greet.py:1:5: def greet(name: str) -> str:",
    );
    expect((await ask(session, { action: "references", ...at })).data).toMatchObject({ total: 4 });
    expect(await textOf(session, { action: "hover", ...at })).toContain("greet(name: str) -> str");
    expect(await textOf(session, { action: "diagnostics", path: "main.py" })).toContain(
      "main.py:4:7: error: Argument of type",
    );
    project.write({ "greet.py": "def greet(name: int) -> int:\n    return name\n" });
    expect(await textOf(session, { action: "diagnostics", path: "main.py" })).toContain(
      "main.py:3:7: error: Argument of type",
    );
    expect(await textOf(session, { action: "symbols", path: "main.py", query: "greet" })).toContain(
      "greet.py:1:5: function greet",
    );
    expect(project.asked).toEqual([]);
  });

  test("[C55] the language server of bash, on the search path", async () => {
    await using project = await openLspProject(
      {
        "greet.sh": "#!/bin/bash\ngreet() {\n  echo $1\n}\n",
        "main.sh": "#!/bin/bash\n. ./greet.sh\ngreet you\n",
      },
      { path: [installed.bin] },
    );
    await using session = await project.openSession();
    const at = { path: "main.sh", line: 3, symbol: "greet" };
    expect(await textOf(session, { action: "definition", ...at })).toBe("greet.sh:2:1: greet() {");
    expect((await ask(session, { action: "references", ...at })).data).toMatchObject({ total: 2 });
    expect(await textOf(session, { action: "hover", ...at })).toContain("greet");
    expect(await textOf(session, { action: "diagnostics", path: "greet.sh" })).toContain(
      has("shellcheck") ? "greet.sh:3:8: information: Double quote" : "knows of no diagnostics",
    );
    project.write({ "greet.sh": "#!/bin/bash\n\n\ngreet() {\n  echo hello\n}\n" });
    expect(await textOf(session, { action: "definition", ...at })).toBe("greet.sh:4:1: greet() {");
    expect(await textOf(session, { action: "symbols", path: "greet.sh" })).toBe(
      "greet.sh:4:1: function greet",
    );
    expect(project.asked).toEqual([]);
  });

  const noGo = has("gopls") && has("go") ? "" : ": skipped, gopls or go is not installed";
  test.skipIf(noGo !== "")(`[C55] gopls, of the system${noGo}`, async () => {
    await using project = await openLspProject({
      "go.mod": "module example.com/m\n\ngo 1.15\n",
      "greet/greet.go": "package greet\n\nfunc Greet(name string) string { return name }\n",
      "main.go":
        'package main\n\nimport "example.com/m/greet"\n\nfunc main() {\n\tgreet.Greet("you")\n\tgreet.Greet(1)\n}\n',
    });
    await using session = await project.openSession();
    const at = { path: "main.go", line: 6, symbol: "Greet" };
    expect(await textOf(session, { action: "definition", ...at })).toBe(
      "greet/greet.go:3:6: func Greet(name string) string { return name }",
    );
    expect((await ask(session, { action: "references", ...at })).data).toMatchObject({ total: 3 });
    expect(await textOf(session, { action: "hover", ...at })).toContain("Greet(name string) string");
    expect(await textOf(session, { action: "diagnostics", path: "main.go" })).toContain(
      "main.go:7:14: error: cannot use 1",
    );
    project.write({ "greet/greet.go": "package greet\n\nfunc Greet(name int) int { return name }\n" });
    expect(await textOf(session, { action: "diagnostics", path: "main.go" })).toContain(
      "main.go:6:14: error: cannot use",
    );
    expect(await textOf(session, { action: "symbols", path: "main.go", query: "Greet" })).toContain(
      "greet/greet.go:3:6: function Greet",
    );
    expect(project.asked).toEqual([]);
  });
});
