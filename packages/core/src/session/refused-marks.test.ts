import { describe, expect, test } from "vitest";
import { effect, fsWrite, netFetch } from "../contract/call/effect.ts";
import { memoryStore } from "../journal/memory-store.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";
import type { Session } from "./session.ts";
import { revokeMarks, sessionMarks, sessionTaint } from "./session-marks.ts";

const search = stubTool("search_web", () => "a page", {
  requires: { net: { hosts: ["*"] } },
  effects: () => [netFetch("example.com")],
}).tool;
const orders = stubTool("lookup_order", () => ({ total: 40 }), {
  requires: { capabilities: ["shop.read"] },
  effects: () => [effect("shop.read", "order")],
  labels: ["private"],
}).tool;
const secret = stubTool("read_key", () => "key", {
  requires: { env: ["KEY"] },
  effects: ({ isPublic }) => (isPublic === true ? [] : [effect("env.read", "KEY")]),
}).tool;
const email = stubTool("send_email", () => "sent", {
  requires: { capabilities: ["email.send"] },
  effects: () => [effect("email.send", "*")],
}).tool;
const writer = stubTool("write", () => "written", {
  requires: { fs: { write: ["/**"] } },
  effects: () => [fsWrite("/ws/package.json")],
}).tool;
const tools = [search, orders, secret, email, writer];
const policy = [
  "allow net.fetch *",
  "ask shop.read *",
  "ask env.read *",
  "allow email.send *",
  'ask fs.write "/**"',
];
const call = (name: string, id = name) => ({ id, name, arguments: {} });
const answers = (...verdicts: readonly ("once" | "reject")[]) =>
  scriptedApprover(verdicts.map((verdict) => ({ verdict, by: "ada" })));

async function recorded({ journal }: Session): Promise<readonly string[]> {
  const events = await Array.fromAsync(journal.read({ types: ["session-taint", "script-change"] }));
  return events.map((event) => (event.type === "session-taint" ? event.label : event.type));
}

describe("a call that is refused marks nothing", () => {
  test("when it is rejected, and the same call marks the session once it is approved", async () => {
    const approver = answers("reject", "once", "reject");
    await using session = await createSession({ tools, policy, approver });
    expect((await session.call("search_web", {})).ok).toBe(true);
    expect((await session.call("lookup_order", {})).ok).toBe(false);
    expect((await session.call("send_email", {})).ok).toBe(true);
    expect(await recorded(session)).toEqual(["untrusted"]);
    expect((await session.call("lookup_order", {})).ok).toBe(true);
    expect((await session.call("send_email", {})).ok).toBe(false);
    const asked = approver.requests.map(({ toolName }) => toolName);
    expect(asked).toEqual(["lookup_order", "lookup_order", "send_email"]);
    expect(await recorded(session)).toEqual(["untrusted", "private"]);
  });

  test("when no answer comes in time", async () => {
    const limits = { approvalDeadlineMs: 20 };
    const approver = scriptedApprover(() => new Promise(() => {}));
    await using session = await createSession({ tools, policy, approver, limits });
    expect((await session.call("read_key", {})).ok).toBe(false);
    expect([...sessionMarks(session).keys(), ...(await recorded(session))]).toEqual([]);
  });

  test("when it is cancelled while it waits, and it counts until then", async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const approver = scriptedApprover(() => {
      seen.push(...sessionMarks(session).keys());
      stop.abort();
      return new Promise(() => {});
    });
    await using session = await createSession({ tools, policy, approver });
    const { results } = await session.run([call("read_key")], { signal: stop.signal });
    expect(results).toMatchObject([{ failure: { code: "cancelled" } }]);
    expect(seen).toEqual(["private"]);
    expect([...sessionMarks(session).keys(), ...(await recorded(session))]).toEqual([]);
  });

  test("when a gate refuses or breaks after it was approved", async () => {
    const broken = () => {
      throw new Error("broken");
    };
    for (const before of [() => false, broken]) {
      const gates = [{ name: "late", before }];
      await using session = await createSession({ tools, policy, approver: answers("once"), gates });
      expect((await session.call("read_key", {})).ok).toBe(false);
      expect([...sessionMarks(session).keys(), ...(await recorded(session))]).toEqual([]);
    }
  });

  test("when an edit takes away what would have marked", async () => {
    const approver = scriptedApprover([{ verdict: "edit", arguments: { isPublic: true }, by: "ada" }]);
    await using session = await createSession({ tools, policy, approver });
    expect((await session.call("read_key", {})).ok).toBe(true);
    expect([...sessionMarks(session).keys(), ...(await recorded(session))]).toEqual([]);
  });

  test("also of the files that say what commands run", async () => {
    await using session = await createSession({ tools, policy, approver: answers("reject", "once") });
    await session.call("write", {});
    expect([...sessionTaint(session).changedScripts, ...(await recorded(session))]).toEqual([]);
    await session.call("write", {});
    expect([...sessionTaint(session).changedScripts]).toEqual(["/ws/package.json"]);
    expect(await recorded(session)).toEqual(["script-change"]);
  });
});

describe("calls that were decided together", () => {
  test("count for each other while they wait, and what is refused is gone after it", async () => {
    const approver = answers("reject", "reject", "once");
    await using session = await createSession({ tools, policy, approver });
    const batch = [call("search_web"), call("lookup_order"), call("read_key"), call("send_email")];
    const { results } = await session.run(batch);
    expect(results.map((result) => result?.ok)).toEqual([true, false, false, true]);
    expect(approver.requests.at(-1)).toMatchObject({ toolName: "send_email", askedBy: ["rule-of-two"] });
    expect((await session.call("send_email", {})).ok).toBe(true);
    expect(await recorded(session)).toEqual(["untrusted"]);
  });

  test("keep what one of them brought, with its cause", async () => {
    await using session = await createSession({ tools, policy, approver: answers("reject", "once") });
    await session.run([call("lookup_order"), call("read_key")]);
    expect([...sessionMarks(session)]).toEqual([["private", "step 1 reads the environment variable KEY"]]);
  });

  test("are not confused by a call with the id of another", async () => {
    await using session = await createSession({ tools, policy, approver: answers("once") });
    const { results } = await session.run([call("read_key", "same"), call("search_web", "same")]);
    expect(results.map((result) => result?.ok)).toEqual([true, false]);
    expect([...sessionMarks(session).keys()]).toEqual(["private"]);
  });
});

describe("a session that is resumed", () => {
  const waiting = async (verdict: "once" | "reject") => {
    const store = memoryStore();
    const options = { id: "s", store, tools, policy };
    const before = await createSession({ ...options, approver: scriptedApprover("later") });
    const turn = await before.run([call("search_web"), call("read_key")], { id: "turn" });
    expect(turn).toMatchObject({ status: "waiting" });
    expect([...sessionMarks(before).keys()].toSorted()).toEqual(["private", "untrusted"]);
    await before.leave();
    const [request] = turn.status === "waiting" ? turn.requests : [];
    if (request === undefined) throw new Error("It does not wait.");
    await store.answer(request, { verdict, by: "ada" });
    const after = await createSession({ ...options, approver: scriptedApprover("reject") });
    await after.resume("turn");
    return after;
  };

  test("has no mark of a call that was rejected meanwhile", async () => {
    await using session = await waiting("reject");
    expect(await recorded(session)).toEqual(["untrusted"]);
    expect((await session.call("send_email", {})).ok).toBe(true);
  });

  test("has the mark of a call that was approved meanwhile", async () => {
    await using session = await waiting("once");
    expect(await recorded(session)).toEqual(["untrusted", "private"]);
    expect((await session.call("send_email", {})).ok).toBe(false);
  });
});

test("what a subagent was refused is neither its own nor its parent's", async () => {
  await using parent = await createSession({ tools, policy, approver: answers("reject", "once") });
  await using child = await createSession({ tools, parent: parent.childContext("scout") });
  await child.call("read_key", {});
  expect([...sessionMarks(parent).keys(), ...(await recorded(parent)), ...(await recorded(child))]).toEqual(
    [],
  );
  await child.call("read_key", {});
  expect(await recorded(parent)).toEqual(["private"]);
  expect(await recorded(child)).toEqual(["private"]);
});

describe("a call that another program asks about, and runs", () => {
  const approver = { approve: async () => ({ verdict: "once", isElsewhere: true }) as const };
  const marksOf = (session: Session) => [...sessionMarks(session)];
  const BY_KEY = "reads the environment variable KEY";
  const opened = (store = memoryStore()) => ({ id: "s", store, tools, policy, approver });

  test("marks until that program says that it did not run it, also after the session was closed", async () => {
    const options = opened();
    const before = await createSession(options);
    await before.call(call("read_key", "c1"));
    await before.close();
    const again = await createSession(options);
    expect(marksOf(again)).toEqual([["private", `step 1 ${BY_KEY}`]]);
    revokeMarks(again, "c1");
    expect(marksOf(again)).toEqual([]);
    await again.close();
    await using after = await createSession(options);
    expect(marksOf(after)).toEqual([]);
    expect(await recorded(after)).toEqual(["private", "private"]);
  });

  test("leaves what other calls brought, with its cause", async () => {
    const options = opened();
    const before = await createSession(options);
    for (const id of ["c1", "c2", "c2.1"]) await before.call(call("read_key", id));
    revokeMarks(before, "c1");
    expect(marksOf(before)).toEqual([["private", `step 2 ${BY_KEY}`]]);
    await before.close();
    await using after = await createSession(options);
    expect(marksOf(after)).toEqual([["private", `step 2 ${BY_KEY}`]]);
    revokeMarks(after, "c2");
    expect(marksOf(after)).toEqual([]);
  });

  test("takes nothing from what a call brought that was allowed here", async () => {
    await using session = await createSession(opened());
    await session.call(call("search_web", "c1"));
    await session.call(call("read_key", "c2"));
    for (const id of ["c1", "c2"]) revokeMarks(session, id);
    expect(marksOf(session).map(([label]) => label)).toEqual(["untrusted"]);
  });
});
