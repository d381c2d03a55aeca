import { type ApprovalRequest, memoryStore, type Principal } from "@toolkeep/core";
import { compilePolicy, diffPolicies, recordedCalls } from "@toolkeep/core/policy";
import { scriptedApprover } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { eventsOf, look, openService, pay, payTool, STORES } from "./stage.ts";

const ALICE: Partial<Principal> = { user: "alice", groups: ["support"] };
const DAVE: Partial<Principal> = { user: "dave", groups: ["finance"] };
const EVE: Partial<Principal> = { user: "eve", groups: ["contractors"], tenant: "outside" };

describe("a turn for another principal", () => {
  test.each([
    ["user", ["allow payments.send * if user svc-agent"]],
    ["group", ["allow payments.send * if group finance"]],
    ["tenant", ["allow payments.send * if tenant acme"]],
    ["role", ["allow payments.send * if role admin"]],
  ])("takes over no %s of the session", async (_field, policy) => {
    const session = await openService({ policy });
    expect((await session.call(pay(1, "bob"))).ok).toBe(true);
    for (const principal of [{ user: "intern" }, { groups: [] }, {}])
      expect((await session.call(pay(1, "bob"), { principal })).failure?.code).toBe("denied");
    const { explanation } = await session.explain(pay(1, "bob"), { principal: { user: "intern" } });
    expect(explanation?.decision.action).toBe("ask");
  });

  test("takes over where the session runs", async () => {
    const policy = [
      "deny payments.send * if environment production and agent buyer",
      "allow payments.send *",
    ];
    const session = await openService({ policy, principal: { environment: "production", agent: "buyer" } });
    expect((await session.call(pay(1, "bob"), { principal: ALICE })).failure?.code).toBe("denied");
    const elsewhere = { ...ALICE, environment: "test" };
    expect((await session.call(pay(1, "bob"), { principal: elsewhere })).ok).toBe(true);
  });

  test.each([
    [{ group: ["contractors"] }, /Unknown field of `principal` "group"\. Did you mean "groups"/],
    [{ groups: "contractors" }, /`groups` of `principal` must be a list of names/],
    [{ user: 7 }, /`user` of `principal` must be a text on one line/],
    [{ user: "eve\nadmin" }, /must be a text on one line/],
    [{ user: `ghp_${"a1B2".repeat(9)}` }, /holds a secret/],
  ])("that is not one, %j, is refused", async (principal, why) => {
    const session = await openService({ policy: ["allow payments.send *"] });
    await expect(session.call(pay(1, "bob"), { principal: principal as Partial<Principal> })).rejects.toThrow(
      why,
    );
  });

  test.each([
    ...["alice@example.com", "EXAMPLE\\alice", "CN=Alice Example,OU=Sales,O=Example", "Ålice Őberg"],
    ...["auth0|64f0c2a91b7e4d0012ab34cd", "110169484474386276334", "6f1c5c1e-8a53-4f6e-9d0a-2b8f1f3a7c11"],
    ...[
      "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
      "spiffe://example.org/ns/default/sa/agent",
      "uid:1000",
    ],
  ])("that issuers and directories give, %s, is recorded as it is", async (user) => {
    const session = await openService({ policy: ["allow crm.read *"] });
    expect((await session.call(look("1"), { principal: { user, groups: [user] } })).ok).toBe(true);
    const [recorded] = await recordedCalls(session.journal);
    expect(recorded?.context.principal).toMatchObject({ user, groups: [user] });
  });

  test("is in the journal with its calls, and the approver sees it", async () => {
    const approver = scriptedApprover("once");
    const policy = ["allow crm.read *", "deny payments.send * if not group finance", "ask payments.send *"];
    const session = await openService({ policy, approver });
    await session.call(look("42", "c1"), { principal: ALICE });
    await session.call(pay(5, "bob", "c2"), { principal: ALICE });
    await session.run([pay(7, "bob", "c3")], { principal: DAVE });
    await session.call(pay(8, "bob", "c4"));
    const place = { environment: "production", workspace: "main" };
    const principals = (await recordedCalls(session.journal)).map(({ call, context, was }) => [
      call.id,
      was,
      context.principal,
    ]);
    expect(principals).toEqual([
      ["c1", "allow", { ...ALICE, role: "agent", ...place }],
      ["c2", "deny", { ...ALICE, role: "agent", ...place }],
      ["c3", "ask", { ...DAVE, role: "agent", ...place }],
      ["c4", "ask", { ...SERVICE_WHOLE }],
    ]);
    expect(approver.requests).toMatchObject([{ principal: DAVE }, { principal: SERVICE_WHOLE }]);
    expect(approver.requests[0]?.lines[1]).toBe("On behalf of dave (groups finance).");
    expect(approver.requests[1]?.lines[1]).toBe(
      "On behalf of svc-agent (groups finance; tenant acme; role admin).",
    );
  });

  test("decides in a comparison of policies as it did then", async () => {
    const before = ["allow crm.read *", "deny payments.send * if not group finance", "ask payments.send *"];
    const session = await openService({ policy: before, approver: scriptedApprover("once") });
    await session.call(look("42", "c1"), { principal: ALICE });
    await session.call(pay(5, "bob", "c2"), { principal: ALICE });
    await session.call(pay(7, "bob", "c3"), { principal: DAVE });
    const calls = await recordedCalls(session.journal, { tools: session.tools() });
    const policy = (...more: string[]) => compilePolicy({ rules: [...before, ...more] });
    expect(await diffPolicies("recorded", policy(), calls)).toEqual([]);
    const differences = await diffPolicies(policy(), policy("deny crm.read * if group support"), calls);
    expect(differences.map(({ recorded, before: was, after }) => [recorded.call.id, was, after])).toEqual([
      ["c1", "allow", "deny"],
    ]);
  });

  test("writes one event before and one after its call, and the session's own principal none", async () => {
    const session = await openService({ policy: ["allow crm.read *"] });
    await session.call(look("1", "c1"));
    await session.call(look("2", "c2"), { principal: { ...SERVICE_WHOLE } });
    const own = (await eventsOf(session)).map(({ type }) => type);
    expect(own).toEqual(["session-open", "call-start", "call-end", "call-start", "call-end"]);
    await session.call(look("3", "c3"), { principal: ALICE });
    expect((await eventsOf(session)).slice(5).map(({ type }) => type)).toEqual([
      ...["turn-start", "call-start", "call-end", "turn-end"],
    ]);
  });

  test("is that of a proposal too, whatever the proposal says", async () => {
    const session = await openService({ policy: ["allow crm.read * if group support"] });
    const proposal = await session.propose(look("42"), { principal: ALICE });
    expect(proposal.status).toBe("allowed");
    expect(await session.run({ ...proposal })).toMatchObject({ status: "done", results: [{ ok: true }] });
    expect((await recordedCalls(session.journal))[0]?.context.principal).toMatchObject(ALICE);
  });

  test("does not share a turn with another one", async () => {
    const session = await openService({ policy: ["allow crm.read *"] });
    await session.call(look("1"), { id: "turn", principal: ALICE });
    for (const principal of [undefined, DAVE])
      await expect(
        session.call(look("2", "c2"), { id: "turn", ...(principal === undefined ? {} : { principal }) }),
      ).rejects.toThrow(/on behalf of another principal/);
    expect((await session.call(look("2", "c2"), { id: "turn", principal: ALICE })).ok).toBe(true);
  });
});

const SERVICE_WHOLE = {
  ...{ user: "svc-agent", groups: ["finance"], tenant: "acme", environment: "production", role: "admin" },
  workspace: "main",
};

describe.each(STORES)("kept %s, a turn that waits", (_name, livesOf) => {
  const ASK = ["ask payments.send *"];
  const STRICT = [
    ...ASK,
    "deny payments.send * if group contractors",
    "deny payments.send * if tenant outside",
  ];
  const later = async () => "later" as const;

  test("keeps its principal in another process, and is denied what that principal is denied today", async () => {
    const lives = livesOf(temporaryFolder);
    const first = await openService({ store: lives.now(), policy: ASK, approver: later });
    const parked = await first.run([pay(9, "eve")], { id: "turn1", principal: EVE });
    expect(parked).toMatchObject({ status: "waiting", requests: [{ principal: EVE }] });
    await first.close();
    const paid: string[] = [];
    const next = { store: await lives.reopen(), policy: STRICT, approver: later, tools: [payTool(paid)] };
    const second = await openService(next);
    const [request] = await second.waiting();
    await second.answer(request?.id ?? "", { verdict: "once", by: "carol" });
    expect(await second.resume("turn1")).toMatchObject({
      status: "done",
      results: [{ ok: false, failure: { code: "denied" } }],
    });
    expect(paid).toEqual([]);
    const [recorded] = await recordedCalls(second.journal);
    expect(recorded?.context.principal).toMatchObject(EVE);
    await second.close();
    await lives.close();
  });

  test("has the principal of the session as it was when the turn began", async () => {
    const lives = livesOf(temporaryFolder);
    const policy = ["deny payments.send * if user bob", "ask payments.send *"];
    const of = (user: string) => ({ store: lives.now(), policy, approver: later, principal: { user } });
    const first = await openService(of("alice"));
    await first.run([pay(1, "shop")], { id: "turn1" });
    await first.close();
    await lives.reopen();
    const second = await openService(of("bob"));
    expect((await second.explain(pay(1, "shop"))).explanation?.decision.action).toBe("deny");
    const [request] = await second.waiting();
    await second.answer(request?.id ?? "", { verdict: "once", by: "carol" });
    expect(await second.resume("turn1")).toMatchObject({ results: [{ ok: true }] });
    expect((await recordedCalls(second.journal))[0]?.context.principal.user).toBe("alice");
    await second.close();
    await lives.close();
  });

  test("of a session whose user looks like a secret, which is not in the record, keeps it", async () => {
    const lives = livesOf(temporaryFolder);
    const user = `ghp_${"a1B2".repeat(9)}`;
    const policy = [`deny payments.send * if not user ${user}`, "ask payments.send *"];
    const options = () => ({ store: lives.now(), policy, approver: later, principal: { user } });
    const first = await openService(options());
    await first.run([pay(1, "shop")], { id: "turn1" });
    expect(JSON.stringify(await eventsOf(first))).not.toContain(user);
    await first.close();
    await lives.reopen();
    const second = await openService(options());
    const [request] = await second.waiting();
    await second.answer(request?.id ?? "", { verdict: "once" });
    expect(await second.resume("turn1")).toMatchObject({ results: [{ ok: true }] });
    await second.close();
    await lives.close();
  });

  test("continues for no other principal", async () => {
    const lives = livesOf(temporaryFolder);
    const first = await openService({ store: lives.now(), policy: ASK, approver: later });
    await first.run([pay(9, "eve")], { id: "turn1", principal: EVE });
    await expect(first.run([pay(9, "eve")], { id: "turn1", principal: DAVE })).rejects.toThrow(
      /The turn "turn1" was begun on behalf of another principal/,
    );
    expect(await first.run([pay(9, "eve")], { id: "turn1" })).toMatchObject({
      requests: [{ principal: EVE }],
    });
    await first.close();
    await lives.close();
  });

  test("or was cut off in the middle keeps it, although nothing was asked", async () => {
    const lives = livesOf(temporaryFolder);
    const policy = ["allow crm.read * if user alice"];
    const first = await openService({ store: lives.now(), policy, principal: { user: "alice" } });
    const controller = new AbortController();
    controller.abort();
    await first.run([look("1")], { id: "turn1", signal: controller.signal });
    await first.close();
    await lives.reopen();
    const second = await openService({ store: lives.now(), policy, principal: { user: "bob" } });
    await second.run([look("1"), look("2", "c2")], { id: "turn1" });
    const calls = await recordedCalls(second.journal);
    expect(calls.map(({ call, was, context }) => [call.id, was, context.principal.user])).toContainEqual([
      ...["c2", "allow", "alice"],
    ]);
    await second.close();
    await lives.close();
  });
});

describe("an approval that is remembered", () => {
  const others: readonly Partial<Principal>[] = [
    { ...DAVE, user: "bob" },
    { ...DAVE, groups: ["finance", "contractors"] },
    { ...DAVE, groups: [] },
    { ...DAVE, tenant: "acme" },
    { ...DAVE, role: "guest" },
  ];

  test.each(["always", "rules"] as const)("by %s counts for one principal alone", async (verdict) => {
    const asked: ApprovalRequest[] = [];
    const store = memoryStore();
    const rules = [{ permission: "payments.send", pattern: "*", action: "allow" }] as const;
    const approver = async (request: ApprovalRequest) => {
      asked.push(request);
      return verdict === "rules" ? ({ verdict, rules } as const) : ({ verdict } as const);
    };
    const policy = { rules: [], builtIn: "off" } as const;
    const session = await openService({ store, approver, policy });
    const order = [DAVE, { ...DAVE, groups: ["finance", "finance"] }, ...others, DAVE];
    for (const [index, principal] of order.entries())
      await session.call(pay(1, "bob", `c${index}`), { principal });
    expect(asked.map(({ callId }) => callId)).toEqual(["c0", "c2", "c3", "c4", "c5", "c6"]);
    await session.leave();
    const again = await openService({ store, approver, policy });
    await again.call(pay(1, "bob", "d0"), { principal: DAVE });
    await again.call(pay(1, "bob", "d1"));
    expect(asked.slice(6).map(({ callId }) => callId)).toEqual(["d1"]);
  });
});
