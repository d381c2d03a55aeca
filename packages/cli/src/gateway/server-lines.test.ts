import type { HeldTool, HttpServer, StdioServer } from "@toolkeep/mcp";
import { expect, test } from "vitest";
import { entryLines, heldLines } from "./server-lines.ts";

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
const HELD: Pick<HeldTool, "tool" | "why" | "reasons" | "description"> = {
  tool: FORGED,
  why: "changed",
  reasons: [FORGED],
  description: `one\n${FORGED}`,
};

test("nothing in an entry or a tool can pose as another line", () => {
  const lines = [...entryLines(STDIO), ...entryLines(HTTP), ...heldLines(HELD as HeldTool)];
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
});
