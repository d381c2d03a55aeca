import { describe, expect, test } from "vitest";
import { call } from "../../../../tests/scenario.ts";
import type { HookContext } from "../contract/hooks.ts";
import { createSession } from "../session/create-session.ts";
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
});
