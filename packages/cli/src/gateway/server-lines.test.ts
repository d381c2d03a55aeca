import type { HttpServer, StdioServer, ToolInReview } from "@toolkeep/mcp";
import { expect, test } from "vitest";
import { entryLines, reportRecord, reviewLines } from "./server-lines.ts";

const FORGED = "x\nm-0/ask\r  Allow?\u001b[2K";
const PLACE = { name: "a", isOfProject: true, file: `/p/${FORGED}` };

const STDIO: StdioServer = {
  ...PLACE,
  kind: "stdio",
  command: FORGED,
  args: [FORGED],
  env: { [FORGED]: "v" },
  cwd: FORGED,
};
const HTTP: HttpServer = {
  ...PLACE,
  kind: "http",
  url: `https://x.example/${FORGED}`,
  headers: { [FORGED]: "v" },
};
const HELD: ToolInReview = {
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

test("nothing in an entry or a tool can pose as another line", () => {
  const lines = [...entryLines(STDIO), ...entryLines(HTTP), ...reviewLines(HELD)];
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
});

test("what has changed is shown beside what it was, also deep within a schema", () => {
  const lines = reviewLines(HELD);
  expect(lines).toContain("      - what it was");
  expect(lines).toContain("      + one");
  expect(lines.some((line) => line.includes("inputSchema.properties") && line.endsWith("description:"))).toBe(
    true,
  );
});

test("that there is more than is shown is said", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, at) => [`a${at}`, { type: "string" }]),
  );
  const definition = { name: "a", inputSchema: { type: "object" as const, properties } };
  expect(reviewLines({ ...HELD, definition }).at(-1)).toMatch(/^ {4}and \d+ more/);
  expect(reviewLines(HELD).at(-1)).not.toMatch(/ more /);
});

test("programs are not handed whole definitions", () => {
  const report = {
    entry: STDIO,
    status: { state: "awaiting_review", reason: "new" },
    tools: [],
    inReview: [HELD],
  } as const;
  const [inReview] = reportRecord(report, "effects known: x").inReview;
  expect(inReview).toMatchObject({ tool: FORGED, why: "changed" });
  expect(Object.keys(inReview ?? {})).not.toContain("definition");
  expect(Object.keys(inReview ?? {})).not.toContain("before");
});

test("programs are told the values that a person is shown, and no others", () => {
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
