import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { call } from "../../../../tests/scenario.ts";
import type { HookContext } from "../contract/stages/call.ts";
import type { JournalEntry } from "../contract/store/event.ts";
import type { Journal } from "../contract/store/store.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { createSession } from "../session/create-session.ts";
import { collectEvents } from "../testing/collect-events.ts";
import { stubTool } from "../testing/stub-tool.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

async function seenBy(raw: {
  readonly raw?: true;
}): Promise<{ readonly seen: string; readonly given: unknown }> {
  const seen: string[] = [];
  const note = (context: HookContext) => void seen.push(JSON.stringify(context));
  const { tool, executed } = stubTool("a", ({ fails }: { fails?: boolean }) => {
    if (fails === true) throw new Error(`cannot use ${TOKEN}`);
    return { echoed: TOKEN };
  });
  const session = await createSession({
    tools: [tool],
    observers: [{ name: "o", ...raw, onBeforeTool: note, onAfterTool: note, onToolError: note }],
    gates: [{ name: "g", ...raw, before: (asked) => seen.push(JSON.stringify(asked.args)) > 0 }],
  });
  await session.call(call("a", { token: TOKEN }));
  await session.call({ id: "c2", name: "a", arguments: { token: TOKEN, fails: true } });
  await session.close();
  return { seen: seen.join("\n"), given: executed[0] };
}

describe("gates and observers", () => {
  test("are given values with secrets replaced; the tool gets them as they are", async () => {
    const { seen, given } = await seenBy({});
    expect(seen).not.toContain(TOKEN);
    expect(seen).toContain("[redacted:github-token]");
    expect(JSON.stringify(given)).toContain(TOKEN);
  });

  test("are shown what approvers are and what is recorded: no number and no argument that is a secret", async () => {
    const secrets = ["481516", "99887766", "xK7pQ2mV", "hunter2", "aB3dE5fG7h"];
    const args = {
      ...{ pin: 481_516, api_key: 99_887_766, tokens: 512, max_tokens: 4096, ports: ["-p", "8080"] },
      ...{ command: "mysql", args: ["-u", "root", "-pxK7pQ2mV"] },
      ...{ fetch: ["curl", "-u", "user:hunter2"], deploy: ["deploy", "--token=aB3dE5fG7h"] },
    };
    const seen: string[] = [];
    const note = (value: unknown) => void seen.push(JSON.stringify(value));
    const { tool, executed } = stubTool("a", () => ({ echoed: args }));
    const session = await createSession({
      ...{
        tools: [tool],
        policy: ["ask *"],
        gates: [{ name: "g", before: (asked) => seen.push(JSON.stringify(asked.args)) > 0 }],
      },
      observers: [{ name: "o", onBeforeTool: note, onAfterTool: note }],
      approver: async (request) => {
        note(request);
        return { verdict: "once", by: "ada" };
      },
    });
    const result = await session.call(call("a", args));
    for await (const event of session.journal.read()) note(event);
    await session.close();
    expect(result.ok).toBe(true);
    expect(executed[0]).toMatchObject(args);
    const all = [...seen, JSON.stringify(result)].join("\n");
    for (const secret of secrets) expect(all).not.toContain(secret);
    for (const shown of ['"tokens":512,"max_tokens":4096,"ports":["-p","8080"]', '"pin":"[redacted:pin]"'])
      expect(all.split(shown).length).toBeGreaterThan(5);
  });

  test("are given them as they are if they ask for it by name", async () => {
    const { seen } = await seenBy({ raw: true });
    expect(seen.split(TOKEN).length).toBeGreaterThan(5);
    expect(seen).not.toContain("[redacted:");
  });

  test("a gate cannot put a mark in the place of a secret", async () => {
    const { tool, executed } = stubTool("a");
    const gates = [
      { name: "g", before: ({ args }: { args: object }) => ({ arguments: { ...args, more: 1 } }) },
    ];
    const session = await createSession({ tools: [tool], gates });
    const result = await session.call(call("a", { token: TOKEN }));
    expect(result.failure?.message).toContain("`raw: true`");
    expect(executed).toEqual([]);
    expect((await session.call({ id: "c2", name: "a", arguments: { a: 1 } })).ok).toBe(true);
    await session.close();
  });

  test("what they are given reads like any object, whenever it is looked at, and cannot be changed", async () => {
    const contexts: HookContext[] = [];
    const calls: object[] = [];
    const { tool } = stubTool("a", () => ({ echoed: "correct horse" }));
    const redactor = createRedactor();
    const session = await createSession({
      ...{ tools: [tool], redactor },
      observers: [
        {
          name: "o",
          onBeforeTool: (context) => void contexts.push(context),
          onAfterTool: (context) => void contexts.push(context),
        },
      ],
      gates: [{ name: "g", before: (asked) => calls.push(asked) > 0 }],
    });
    await session.call(call("a", { words: "correct horse", token: TOKEN }));
    redactor.add("WORDS", "correct horse");
    const [before, after] = contexts as [HookContext, HookContext];
    const fields = ["hookPoint", "callId", "toolName", "parameters", "role", "workspace", "sessionId"];
    expect(Object.keys(before)).toEqual([...fields, "attempt"]);
    expect(Object.keys(after)).toEqual([...fields, "attempt", "result", "duration"]);
    expect(["result" in before, "result" in after]).toEqual([false, true]);
    const parameters = { words: "[redacted:WORDS]", token: "[redacted:github-token]" };
    expect(after).toMatchObject({ callId: "c1", parameters, result: { echoed: "[redacted:WORDS]" } });
    expect({ ...before }.parameters).toEqual(parameters);
    expect(calls[0]).toStrictEqual({ ...calls[0] });
    expect({ ...calls[0] }).toEqual({ toolName: "a", callId: "c1", args: parameters });
    const printed = inspect([contexts, calls], { depth: 9, showHidden: true });
    const shown = printed + inspect([contexts, calls], { depth: 9 }) + JSON.stringify([contexts, calls]);
    expect(shown).not.toMatch(/correct horse|ghp_/);
    expect(shown.split("[redacted:WORDS]").length).toBeGreaterThan(10);
    for (const given of [before, calls[0] as object]) {
      expect(() => Object.assign(given, { toolName: "b" })).toThrow(TypeError);
      expect(() => Object.defineProperty(given, "more", { value: 1 })).toThrow(TypeError);
      expect(() => Object.freeze(given)).toThrow(TypeError);
      expect(Reflect.deleteProperty(given, "callId")).toBe(false);
    }
    await session.close();
  });
});

describe("an observer of a call that is refused", () => {
  test("is shown an id and a name without their secrets, and as they were", async () => {
    const contexts: HookContext[] = [];
    const session = await createSession({
      limits: { toolsEnabled: false },
      observers: [{ name: "o", onToolsDisabled: (context) => void contexts.push(context) }],
    });
    const request = { id: `id-${TOKEN}`, name: `tool-${TOKEN}`, arguments: { token: TOKEN } };
    await session.call(request);
    Object.assign(request, { id: "other", name: "other" });
    await session.close();
    const mark = "[redacted:github-token]";
    expect(contexts.map((context) => ({ ...context }))).toMatchObject([
      { callId: `id-${mark}`, toolName: `tool-${mark}`, parameters: { token: mark } },
    ]);
  });
});

describe("the start of a call", () => {
  test("is redacted before listeners and other journals have it", async () => {
    const { tool } = stubTool("a");
    const kept = memoryJournal();
    const appended: JournalEntry[] = [];
    const journal: Journal = {
      append(seq, at, turn, entry) {
        appended.push(entry);
        kept.append(seq, at, turn, entry);
      },
      flush: () => undefined,
      read: (query) => kept.read(query),
      extent: () => kept.extent(),
    };
    const session = await createSession({ tools: [tool], journal });
    await session.call(call("a", { token: TOKEN }));
    await session.close();
    expect(JSON.stringify(appended)).not.toContain(TOKEN);
    expect(JSON.stringify(appended)).toContain("[redacted:github-token]");
    const watched = await createSession({ tools: [tool] });
    const { events } = await collectEvents(watched, () => watched.call(call("a", { token: TOKEN })));
    const seen = JSON.stringify(events);
    expect(seen).not.toContain(TOKEN);
    expect(seen).toContain('"call-start"');
  });
});
