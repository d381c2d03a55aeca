/** A repository that is made for the day. */
export interface RepositoryFiles {
  readonly name: string;
  /** What git has; `{registry}` is replaced. */
  readonly tracked: Readonly<Record<string, string>>;
  /** What git does not have. */
  readonly untracked: Readonly<Record<string, string>>;
  /** How many more files lie under `node_modules`. */
  readonly modules: number;
}

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

const BUILD = `import { cpSync } from "node:fs";
cpSync("src", "dist", { recursive: true });
console.log("built");
`;

const LINT = `#!/usr/bin/env node
import { readdirSync, readFileSync } from "node:fs";
const long = readdirSync("src").filter((name) => readFileSync("src/" + name, "utf8").length > 10_000);
console.log(long.length === 0 ? "no problems" : long.join());
`;

/** Small programs under `node_modules`, as a linter and a compiler would be. */
const LINTER: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["eslint", "tsc"].flatMap((name) => [
      [`node_modules/${name}/package.json`, json({ name, version: "1.0.0", bin: { [name]: "main.js" } })],
      [`node_modules/${name}/main.js`, `#!/usr/bin/env node\nconsole.log("${name}: no problems");\n`],
      [`node_modules/.bin/${name}`, `#!/bin/sh\nexec node "$(dirname "$0")/../${name}/main.js" "$@"\n`],
    ]),
  ),
  "node_modules/tiny-lint/package.json": json({
    ...{ name: "tiny-lint", version: "1.0.0", type: "module", bin: { "tiny-lint": "lint.js" } },
  }),
  "node_modules/tiny-lint/lint.js": LINT,
  "node_modules/.bin/tiny-lint": '#!/bin/sh\nexec node "$(dirname "$0")/../tiny-lint/lint.js" "$@"\n',
};

const TYPESCRIPT: RepositoryFiles = {
  name: "typescript",
  tracked: {
    "package.json": json({
      ...{ name: "shop", version: "1.0.0", private: true, type: "module" },
      scripts: {
        test: "node --test",
        build: "node scripts/build.ts",
        lint: "tiny-lint",
        dev: "node src/server.ts",
      },
      dependencies: {},
    }),
    "src/cart.ts":
      "export const total = (prices: number[]) => prices.reduce((sum, price) => sum + price, 0);\nexport const add = (a: number, b: number) => a + b;\n",
    "src/server.ts":
      'import { createServer } from "node:http";\ncreateServer((_, answer) => answer.end("ok\\n")).listen(3000);\n',
    "test/cart.test.ts":
      'import assert from "node:assert";\nimport { test } from "node:test";\nimport { total } from "../src/cart.ts";\ntest("total", () => assert.equal(total([]) + total([1, 2]), 3));\n',
    "scripts/build.ts": BUILD,
    "README.md": "# shop\n",
    ".npmrc": "save-exact=true\nregistry={registry}\nfetch-retries=0\n",
    ".env.test": "TOKEN=for-tests\n",
    "certs/test.pem": "-----BEGIN CERTIFICATE-----\nnot a real one\n-----END CERTIFICATE-----\n",
    ".gitignore": "node_modules/\ndist/\n.env\n",
  },
  untracked: { ...LINTER, ".env": "TOKEN=not-a-real-one\n" },
  modules: 40,
};

const PYTHON: RepositoryFiles = {
  name: "python",
  tracked: {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.0.0"\n',
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "tests/__init__.py": "",
    "tests/test_cart.py":
      "import unittest\nfrom shop.cart import total\n\n\nclass TestCart(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n",
    "main.py": "from shop.cart import total\n\nprint(total([1, 2]))\n",
    Makefile: "test:\n\tpython3 -m unittest -q\n",
    "README.md": "# shop\n",
    ".gitignore": "__pycache__/\n.env\n",
  },
  untracked: { ".env": "TOKEN=not-a-real-one\n" },
  modules: 0,
};

const MONOREPO: RepositoryFiles = {
  name: "monorepo",
  tracked: {
    "package.json": json({
      ...{ name: "all", private: true, type: "module", workspaces: ["packages/*"] },
      scripts: { test: "node --test", lint: "tiny-lint" },
    }),
    ...Object.fromEntries(
      ["cart", "orders", "users"].flatMap((name) => [
        [
          `packages/${name}/package.json`,
          json({ name: `@all/${name}`, version: "1.0.0", type: "module", scripts: { test: "node --test" } }),
        ],
        [`packages/${name}/src/main.js`, `export const name = "${name}"; // TODO\n`],
        [
          `packages/${name}/test/main.test.js`,
          'import { test } from "node:test";\nimport "../src/main.js";\ntest("it loads", () => {});\n',
        ],
      ]),
    ),
    "src/main.js": "export {};\n",
    "README.md": "# all\n",
    ".npmrc": "fund=false\n",
    ".gitignore": "node_modules/\n.env\n",
  },
  untracked: { ...LINTER, ".env": "TOKEN=not-a-real-one\n" },
  modules: 40_000,
};

export const REPOSITORIES: readonly RepositoryFiles[] = [TYPESCRIPT, PYTHON, MONOREPO];
