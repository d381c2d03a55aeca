import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRegistry } from "@toolkeep/core";
import { createProjectTrust, openToolFolders, type TrustRequest } from "@toolkeep/node";
import { trustStore } from "@toolkeep/node/internal";

/** What a tool of a trusted project answers that loads code when it is called, and what was asked about. */
export interface LazyLoad {
  /** Where nothing changes, and how often it is asked until it answers. */
  readonly unchanged: string;
  /** Where a file was changed before the call. */
  readonly changed: string;
  /** What the next reload asks about. */
  readonly asked: readonly string[];
  /** Once that is trusted. */
  readonly trusted: string;
}

interface Shape {
  readonly files: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  /** The file that a command changes. */
  readonly changes: string;
  readonly head?: string;
  readonly says: string;
}

const PACKAGE = { "project/node_modules/pkg/package.json": '{ "name": "pkg", "main": "index.js" }' };
const REQUIRE = 'import { createRequire } from "node:module";';

const SHAPES: Readonly<Record<string, Shape>> = {
  "CommonJS by import": {
    files: { "project/src/lib.cjs": "exports.v = () => 'good'" },
    changes: "project/src/lib.cjs",
    says: "(await import('../../src/lib.cjs')).v()",
  },
  "TypeScript by import": {
    files: { "project/src/lib.ts": "export const v = () => 'good'" },
    changes: "project/src/lib.ts",
    says: "(await import('../../src/lib.ts')).v()",
  },
  "a module by import": {
    files: { "project/src/lib.mjs": "export const v = () => 'good'" },
    changes: "project/src/lib.mjs",
    says: "(await import('../../src/lib.mjs')).v()",
  },
  "a script by import": {
    files: { "project/src/lib.js": "exports.v = () => 'good'" },
    changes: "project/src/lib.js",
    says: "(await import('../../src/lib.js')).v()",
  },
  "data by import": {
    files: { "project/src/data.json": '{ "v": "good" }' },
    changes: "project/src/data.json",
    says: "(await import('../../src/data.json')).default.v",
  },
  "createRequire of the tool": {
    files: { "project/src/lib.cjs": "exports.v = () => 'good'" },
    changes: "project/src/lib.cjs",
    head: REQUIRE,
    says: "createRequire(import.meta.url)('../../src/lib.cjs').v()",
  },
  "createRequire of package.json": {
    files: { "project/package.json": "{}", "project/src/lib.cjs": "exports.v = () => 'good'" },
    changes: "project/src/lib.cjs",
    head: REQUIRE,
    says: "createRequire(new URL('../../package.json', import.meta.url))('./src/lib.cjs').v()",
  },
  "a package's own require": {
    files: {
      ...PACKAGE,
      "project/node_modules/pkg/index.js": "exports.v = () => require('./impl.js').v()",
      "project/node_modules/pkg/impl.js": "exports.v = () => 'good'",
    },
    changes: "project/node_modules/pkg/impl.js",
    head: "import { v } from 'pkg';",
    says: "v()",
  },
  "a package's computed require": {
    files: {
      ...PACKAGE,
      "project/node_modules/pkg/index.js": "exports.v = (name) => require('./rules/' + name + '.js').v()",
      "project/node_modules/pkg/rules/one.js": "exports.v = () => 'good'",
    },
    changes: "project/node_modules/pkg/rules/one.js",
    head: "import { v } from 'pkg';",
    says: "v('one')",
  },
  "a package's computed import": {
    files: {
      ...PACKAGE,
      "project/node_modules/pkg/index.js":
        "exports.v = async (name) => (await import(`./rules/${" + "name}.mjs`)).v()",
      "project/node_modules/pkg/rules/one.mjs": "export const v = () => 'good'",
    },
    changes: "project/node_modules/pkg/rules/one.mjs",
    head: "import { v } from 'pkg';",
    says: "await v('one')",
  },
  "a name that nothing foretells": {
    files: {
      ...PACKAGE,
      "project/node_modules/pkg/index.js": "exports.v = (...names) => require(names.join('/')).v()",
      "project/node_modules/pkg/impl.js": "exports.v = () => require('./deep.js').v()",
      "project/node_modules/pkg/deep.js": "exports.v = () => 'good'",
    },
    changes: "project/node_modules/pkg/deep.js",
    head: "import { v } from 'pkg';",
    says: "v('.', 'impl.js')",
  },
  "a package above the project": {
    files: {
      "node_modules/hoisted/package.json": '{ "name": "hoisted", "main": "index.js" }',
      "node_modules/hoisted/index.js": "exports.v = (name) => require('./' + name).v()",
      "node_modules/hoisted/impl.js": "exports.v = () => 'good'",
    },
    changes: "node_modules/hoisted/impl.js",
    head: "import { v } from 'hoisted';",
    says: "v('impl.js')",
  },
  "a linked package of the workspace": {
    files: {
      "project/packages/own/package.json": '{ "name": "own", "main": "index.js" }',
      "project/packages/own/index.js": "exports.v = (name) => require('./' + name).v()",
      "project/packages/own/impl.js": "exports.v = () => 'good'",
    },
    links: { "project/node_modules/own": "../packages/own" },
    changes: "project/packages/own/impl.js",
    head: "import { v } from 'own';",
    says: "v('impl.js')",
  },
};

export async function lazyLoads(): Promise<Readonly<Record<string, LazyLoad>>> {
  const outcomes: Record<string, LazyLoad> = {};
  for (const [name, shape] of Object.entries(SHAPES)) outcomes[name] = await lazyLoad(shape);
  return outcomes;
}

async function lazyLoad(shape: Shape): Promise<LazyLoad> {
  const calm = open(placed(shape));
  await calm.source.enter(calm.project);
  const first = await calm.call();
  // What nothing foretells is refused once, and asked about.
  if (first === "refused") await calm.source.reload();
  const unchanged = `${await calm.call()}, asked ${calm.asked.length}`;
  await calm.source.close();

  const { files, changes } = shape;
  const base = placed(shape);
  const { source, project, asked, call } = open(base);
  await source.enter(project);
  writeFileSync(join(base, changes), (files[changes] ?? "").replace("good", "EVIL"));
  const changed = await call();
  await source.reload();
  const trusted = await call();
  await source.close();
  return { unchanged, changed, asked: asked.slice(1), trusted };
}

/** Modules stay loaded in a process, so each try has a place of its own. */
function placed({ files, links = {}, head = "", says }: Shape): string {
  const base = realpathSync(mkdtempSync("/tmp/lazy-"));
  const at = (name: string) => {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    return join(base, name);
  };
  writeFileSync(at("project/.git/HEAD"), "ref: refs/heads/main");
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  for (const [name, to] of Object.entries(links)) symlinkSync(to, at(name));
  writeFileSync(
    at("project/.toolkeep/tools/a.ts"),
    `import { defineTool } from "@toolkeep/core"; ${head}
export default defineTool({ name: "a", description: "x", requires: {}, inputSchema: { type: "object" }, async execute() { return String(${says}); } });`,
  );
  return base;
}

function open(base: string) {
  const project = join(base, "project");
  const asked: string[] = [];
  const decide = ({ why, things }: TrustRequest) => {
    asked.push([why, ...things].join(" ").replaceAll(`${base}/`, ""));
    return "trust" as const;
  };
  const registry = createRegistry();
  const trust = createProjectTrust({ store: trustStore(join(base, "state/trust.json")), decide });
  const source = openToolFolders({ registry, trust, userFolder: false });
  const call = async (): Promise<string> => {
    try {
      return String(await registry.get("a")?.tool.execute({}, {} as never));
    } catch (error) {
      const { message } = error as Error;
      return message.includes("not what was trusted") ? "refused" : message;
    }
  };
  return { source, project, asked, call };
}
