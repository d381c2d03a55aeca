import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryStore } from "../journal/memory-store.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

const token = `ghp_${"a1B2".repeat(9)}`;
const { tool: broken } = stubTool("broken", () => {
  throw new TypeError(`no account for ${token}`);
});
const { tool: unclear } = stubTool("unclear", () => "done", {
  requires: { capabilities: ["bank.pay"] },
  effects: () => {
    throw new TypeError("no such account");
  },
});

let warned = vi.spyOn(console, "warn");
beforeEach(() => {
  warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubEnv("NODE_ENV", "development");
});
afterEach(() => {
  vi.unstubAllEnvs();
  warned.mockRestore();
});

test("in development a crash is on the console, without secrets, with the way to its record", async () => {
  const store = Object.assign(memoryStore(), { path: "/data/agent" });
  await using session = await createSession({ id: "chat", store, tools: [broken, unclear] });
  await session.call("broken", {});
  await session.call("unclear", {});
  const lines = warned.mock.calls.map(([line]) => String(line));
  expect(lines).toEqual([
    expect.stringMatching(
      /^\[toolkeep\] The tool "broken" crashed.*TypeError: no account.*crashes\.test\.ts/s,
    ),
    expect.stringMatching(/^\[toolkeep\] The tool "unclear" crashed.*no such account/s),
  ]);
  for (const line of lines) expect(line).toContain('Details: toolkeep log --store "/data/agent" "chat"');
  expect(lines.join()).not.toContain(token);
});

test("without a path of the store, the journal is where the details are", async () => {
  await using session = await createSession({ id: "chat", tools: [broken] });
  await session.call("broken", {});
  expect(String(warned.mock.calls[0])).toContain(
    'session.journal.read({ turn: "t1" }) of the session "chat"',
  );
});

test.each(["production", "test"])("nothing is on the console where NODE_ENV is %s", async (environment) => {
  vi.stubEnv("NODE_ENV", environment);
  await using session = await createSession({ tools: [broken] });
  await session.call("broken", {});
  expect(warned).not.toHaveBeenCalled();
});

test("nothing is on the console where an observer is told of errors, and for explain", async () => {
  const observed: string[] = [];
  const onToolError = ({ error = "" }) => void observed.push(error);
  await using session = await createSession({ tools: [broken], observers: [{ name: "mine", onToolError }] });
  await session.call("broken", {});
  await using other = await createSession({ tools: [unclear] });
  await other.explain({ id: "c1", name: "unclear", arguments: {} });
  expect(observed).toHaveLength(1);
  expect(warned).not.toHaveBeenCalled();
});
