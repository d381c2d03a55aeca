import { describe, expect, test } from "vitest";
import { ATTACKS } from "./rule-of-two/attacks.ts";
import { EVERYDAY } from "./rule-of-two/everyday.ts";
import { LEAVING, openStage } from "./rule-of-two/stage.ts";

describe("a model that does what a hostile page says, where rules allow everything", () => {
  test.each(ATTACKS)("is stopped when $title", async ({ act, runs }) => {
    const stage = await openStage();
    await act(stage);
    const asked = stage.approver.requests.filter(({ callId }) => callId === LEAVING);
    expect(asked).toMatchObject([{ askedBy: expect.arrayContaining(["rule-of-two"]) }]);
    // What came before did run, so that there was something to send.
    expect(stage.executions).toHaveLength(runs);
    expect(stage.executions.map(({ callId }) => callId)).not.toContain(LEAVING);
  });

  test("there are twenty ways, each another", () => {
    expect(new Set(ATTACKS.map(({ title }) => title)).size).toBe(20);
  });
});

describe("everyday work is not asked about", () => {
  test.each(EVERYDAY)("$title", async ({ act, calls }) => {
    const stage = await openStage();
    await act(stage);
    expect(stage.approver.requests.map(({ reason }) => reason)).toEqual([]);
    expect(stage.executions).toHaveLength(calls);
  });

  test("there are twenty flows, each another", () => {
    expect(new Set(EVERYDAY.map(({ title }) => title)).size).toBe(20);
  });
});

describe("what a program does by itself cannot be seen in its name", () => {
  const script = ["bash", { command: "bash scripts/report.sh" }] as const;
  const page = ["fetch_page", { url: "https://docs.example/guide" }] as const;

  test("it does not ask while nothing private was accessed: the sandbox covers that", async () => {
    const stage = await openStage();
    await stage.does(page, script);
    expect(stage.approver.requests).toEqual([]);
  });

  test("in a sandbox without network it cannot send, and does not ask at all", async () => {
    const stage = await openStage("files-and-network");
    await stage.does(page, ["read_file", { path: "/home/ada/notes.md" }], script);
    expect(stage.approver.requests).toEqual([]);
  });
});
