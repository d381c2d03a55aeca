import type { HttpServer, StdioServer, ToolInReview } from "@toolkeep/mcp/internal";
import { expect, test } from "vitest";
import { effectsStatus, entryLines, reportRecord, reviewLines } from "./server-lines.ts";

const FORGED = "x\nm-0/ask\r  Allow?\u001b[2K";
const BASE = { name: "a", isOfProject: true, file: `/p/${FORGED}` };

const STDIO: StdioServer = {
  ...BASE,
  kind: "stdio",
  command: FORGED,
  args: [FORGED],
  env: { [FORGED]: "v" },
  cwd: FORGED,
};
const HTTP: HttpServer = {
  ...BASE,
  kind: "http",
  url: `https://x.example/${FORGED}`,
  headers: { [FORGED]: "v" },
};
const REVIEW: ToolInReview = {
  tool: FORGED,
  why: "changed",
  fingerprint: "f",
  reasons: [FORGED],
  description: `one\n${FORGED}`,
  definition: {
    name: FORGED,
    description: `one\n${FORGED}`,
    inputSchema: { type: "object", properties: { [FORGED]: { type: "string", description: FORGED } } },
  },
  before: { name: FORGED, description: "what it was", inputSchema: { type: "object" } },
};

test("the text of an entry or a tool cannot imitate another line", () => {
  const lines = [...entryLines(STDIO), ...entryLines(HTTP), ...reviewLines(REVIEW)];
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
});

test("a changed text is shown with its old version, also deep within a schema", () => {
  const lines = reviewLines(REVIEW);
  expect(lines).toContain("      - what it was");
  expect(lines).toContain("      + one");
  expect(lines.some((line) => line.includes("inputSchema.properties") && line.endsWith("description:"))).toBe(
    true,
  );
});

test("the number of texts that are not shown is given", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, at) => [`a${at}`, { type: "string" }]),
  );
  const definition = { name: "a", inputSchema: { type: "object" as const, properties } };
  expect(reviewLines({ ...REVIEW, definition }).at(-1)).toMatch(/^ {4}and \d+ more/);
  expect(reviewLines(REVIEW).at(-1)).not.toMatch(/ more /);
});

test("variables that may change where the code comes from are named with it", () => {
  const entry = { ...BASE, kind: "stdio" as const, command: "npx", args: ["-y", "x"] };
  const lines = (env: Record<string, string>) => entryLines({ ...entry, env }).join("\n");
  expect(lines({ LOG_LEVEL: "x" })).not.toContain("may change");
  for (const name of ["npm_config_registry", "NODE_OPTIONS", "PATH", "HOME"])
    expect(lines({ [name]: "x" })).toContain(`The environment may change that: ${name}.`);
});

test("records for programs omit the definitions", () => {
  const report = {
    entry: STDIO,
    status: { state: "awaiting_review", reason: "new" },
    tools: [],
    inReview: [REVIEW],
  } as const;
  const [review] = reportRecord(report, "effects known: x").inReview;
  expect(review).toMatchObject({ tool: FORGED, why: "changed" });
  expect(Object.keys(review ?? {})).not.toContain("definition");
  expect(Object.keys(review ?? {})).not.toContain("before");
});

test("records for programs contain the values that people are shown, and no others", () => {
  const env = {
    NODE_OPTIONS: "--require=./evil.js",
    TOKEN: "t0ps3cret",
    BASE_URL: "https://u:t0ps3cret@evil.test/t0ps3cret",
    LOG: `\${HOME}`,
  };
  const report = { status: { state: "awaiting_review", reason: "new" }, tools: [], inReview: [] } as const;
  const stdio = { ...STDIO, cwd: "/x", env };
  expect(reportRecord({ ...report, entry: stdio }, "x")).toMatchObject({
    cwd: "/x",
    environment: {
      NODE_OPTIONS: "--require=./evil.js",
      TOKEN: "…",
      BASE_URL: "… https://evil.test",
      LOG: `… \${HOME}`,
    },
  });
  expect(entryLines(stdio)).toContain('    BASE_URL="… https://evil.test"');
  const http = { ...HTTP, headers: { "X-Forwarded-Host": "evil.test", Authorization: "Bearer t0ps3cret" } };
  expect(reportRecord({ ...report, entry: http }, "x")).toMatchObject({
    headers: { "X-Forwarded-Host": "… evil.test", Authorization: "…" },
  });
});

const FILES: StdioServer = {
  name: "files",
  kind: "stdio",
  isOfProject: false,
  command: "npx",
  args: ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
  env: {},
};

test("the status of a server whose effects are known names its effect map", async () => {
  expect(await effectsStatus(FILES, { settings: {}, maps: [] })).toBe("effects known: filesystem");
});

test.each([
  [
    "has an option that the map does not cover",
    { ...FILES, args: [...FILES.args, "--odd"] },
    {},
    "no effect map",
  ],
  ["is another program", { ...FILES, args: ["-y", "something-else"] }, {}, "no effect map"],
  ["has its map switched off", FILES, { files: { map: false as const } }, "switched off"],
  ["names a map that does not exist", FILES, { files: { map: "missing" } }, "does not exist"],
])("every call of a server that %s asks, and the status says why", async (_what, entry, settings, why) => {
  const status = await effectsStatus(entry, { settings, maps: [] });
  expect(status).toContain("effects unknown, every call asks");
  expect(status).toContain(why);
});
