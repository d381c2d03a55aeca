import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { compilePolicy, policyCall, policyContext, RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { afterAll, describe, expect, test } from "vitest";
import { loadBuiltInMaps } from "../../packages/mcp/src/effect-maps/built-in-maps.ts";
import type { EffectMap, MappedTool } from "../../packages/mcp/src/effect-maps/effect-map.ts";
import { effectsOf } from "../../packages/mcp/src/effect-maps/effects-of.ts";
import { readTarget } from "../../packages/mcp/src/effect-maps/mapped-target.ts";
import { unknownArguments } from "../../packages/mcp/src/effect-maps/unknown-arguments.ts";

/** What a server of a version has: its tools, each with its arguments as `files[].path content`. */
interface ToolList {
  readonly version: string;
  readonly date: string;
  readonly tools: Readonly<Record<string, string>>;
}

interface Description {
  readonly listed: Pick<ToolList, "version" | "date">;
  readonly asks?: Readonly<Record<string, string>>;
  readonly examples: readonly (readonly [tool: string, args: object, ...does: string[]])[];
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const LISTS = globSync("*.json", { cwd: join(import.meta.dirname, "servers") }).map((file) =>
  basename(file, ".json"),
);
/** Servers that are installed here, each with its program, and what it is started with. */
const INSTALLED = {
  filesystem: ["@modelcontextprotocol/server-filesystem", "dist/index.js", "."],
  memory: ["@modelcontextprotocol/server-memory", "dist/index.js"],
  everything: ["@modelcontextprotocol/server-everything", "dist/index.js"],
  "sequential-thinking": ["@modelcontextprotocol/server-sequential-thinking", "dist/index.js"],
  playwright: ["@playwright/mcp", "cli.js", "--headless", "--isolated"],
} as const;

const builtIn = await loadBuiltInMaps();
const folder = mkdtempSync(join(tmpdir(), "servers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8"));
}

function descriptionOf(server: string): Description {
  return readJson(`../../packages/catalog/servers/${server}.json`) as Description;
}

/** Tools and arguments that a description says nothing about, and what it says about others than these. */
function differences(server: string, samples: Readonly<Record<string, unknown>>): readonly string[] {
  const { tools } = builtIn.named(server) as EffectMap;
  const { asks = {} } = descriptionOf(server);
  const unknown = Object.entries(samples).flatMap(([tool, sample]) => {
    const mapped = tools[tool];
    return mapped === undefined ? [tool] : unknownArguments(mapped, sample).map((one) => `${tool} ${one}`);
  });
  const gone = Object.keys(tools).filter((tool) => !Object.hasOwn(samples, tool));
  return [
    ...unknown.filter((one) => !Object.hasOwn(asks, one)).map((one) => `${one} is not described`),
    ...[...gone, ...Object.keys(asks).filter((one) => !unknown.includes(one))].map(
      (one) => `${one} is described`,
    ),
  ];
}

/** A call with each of the arguments `a b[] c[].d e.f`. */
function sampleFor(args: string): unknown {
  const sample: Record<string, unknown> = {};
  for (const path of args.split(" ").filter((one) => one !== "")) {
    const [name = "", inner] = path.split(".");
    const plain = name.replace("[]", "");
    const before = [sample[plain]].flat()[0];
    const value = inner === undefined ? "x" : { ...(before as object), [inner]: "x" };
    sample[plain] = plain === name ? value : [value];
  }
  return sample;
}

/** A value of each shape that a schema describes, with every argument that it names. */
function sampleOf({ items, properties }: Schema): unknown {
  if (items !== undefined) return [sampleOf(items)];
  if (properties === undefined) return "x";
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sampleOf(one)]));
}

/** What the installed server says of its tools, and the version of its package. */
async function installed([name, file, ...args]: readonly [string, string, ...string[]]) {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const client = new Client({ name: "catalog", version: "1.0.0" });
  const env = { PATH: process.env["PATH"] ?? "", MEMORY_FILE_PATH: join(folder, "memory.jsonl") };
  const command = { command: process.execPath, args: [join(dirname(manifest), file), ...args] };
  await client.connect(new StdioClientTransport({ ...command, env, cwd: folder, stderr: "ignore" }));
  try {
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
    return { version: `npm ${version}`, tools: (await client.listTools()).tools };
  } finally {
    await client.close();
  }
}

test.each(LISTS)("the description of %s knows the tools and arguments of its dated list", (server) => {
  const { tools, ...from } = readJson(`servers/${server}.json`) as ToolList;
  expect(descriptionOf(server).listed).toEqual(from);
  const samples = Object.entries(tools).map(([tool, args]) => [tool, sampleFor(args)]);
  expect(differences(server, Object.fromEntries(samples))).toEqual([]);
});

test.each(Object.entries(INSTALLED))(
  "the description of %s knows what its server says",
  async (server, how) => {
    const { version, tools } = await installed(how);
    expect(descriptionOf(server).listed.version).toBe(version);
    const samples = tools.map((tool) => [tool.name, sampleOf(tool.inputSchema as Schema)]);
    expect(differences(server, Object.fromEntries(samples))).toEqual([]);
    for (const { name, inputSchema, annotations } of tools) {
      const mapped = builtIn.named(server)?.tools[name];
      if (mapped === undefined) continue;
      const named = mapped.effects.flatMap(({ target }) =>
        readTarget(target).flatMap((part) => (typeof part === "string" ? [] : [String(part.path[0])])),
      );
      expect(Object.keys(inputSchema.properties ?? {})).toEqual(expect.arrayContaining(named));
      expect(mapped.mode === "read", name).toBe(annotations?.readOnlyHint === true);
    }
  },
);

test("every description is compared with a server that is installed, or with a dated list", () => {
  expect([...LISTS, ...Object.keys(INSTALLED)].toSorted()).toEqual([...builtIn.names].toSorted());
});

test("the guide lists every server that is described", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/gateway.md"), "utf8");
  expect(builtIn.names.filter((name) => !guide.includes(`| \`${name}\` `))).toEqual([]);
});

describe("under the recommended policy", () => {
  const decide = (server: string, tool: string, args: object, rules: readonly string[] = []) => {
    const mapped = builtIn.named(server)?.tools[tool] as MappedTool;
    const remote = { serverId: server, tool };
    const effects = effectsOf(mapped, args).map((effect) => ({ ...effect, known: "inferred" as const }));
    const call = policyCall({ tool: `${server}_${tool}`, source: "mcp", remote, mode: mapped.mode, effects });
    const policy = compilePolicy({ ...RECOMMENDED_POLICY, rules: [...RECOMMENDED_POLICY.rules, ...rules] });
    return policy.decide(call, policyContext());
  };

  test.each(builtIn.names)(
    "no call of %s that changes anything passes without a question",
    async (server) => {
      const { examples } = descriptionOf(server);
      const known = examples.filter(([, , ...does]) => !does.includes("?") && !does.includes("refused"));
      for (const [tool, args, ...does] of known) {
        const isReading = does.every((one) => /\.(?:read|search) /.test(one));
        if (!isReading) expect((await decide(server, tool, args)).action, tool).not.toBe("allow");
      }
    },
  );

  test("reading a database passes, and destroying one asks though a rule allows the server", async () => {
    const orders = { database: "shop", collection: "orders" };
    expect((await decide("mongodb", "find", orders)).action).toBe("allow");
    const all = ["allow mcp:mongodb:*", "allow mcp:supabase:*"];
    const dropped = await decide("mongodb", "drop-collection", orders, all);
    expect(dropped).toMatchObject({ action: "ask", askedBy: ["destruction"] });
    const sql = (query: string) => decide("supabase", "execute_sql", { project_id: "abc", query }, all);
    expect((await sql("insert into users (name) values ('a')")).action).toBe("allow");
    expect((await sql("truncate users")).action).toBe("ask");
  });
});
