import { type ApprovalRequest, memoryStore } from "@toolkeep/core";
import { effect, memoryJournal } from "@toolkeep/core/internal";
import type { SignedApproval } from "@toolkeep/core/policy";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { expect, vi } from "vitest";
import { call } from "../scenario.ts";
import { type AttackWorld, BY_TWO, type Control, PLAIN } from "./attack-world.ts";

/** A way to make a payment without two people who approve it. */
export interface Attack {
  readonly name: string;
  /** What is switched off to show that the attack would otherwise succeed. */
  readonly control: Control;
  run(world: AttackWorld): Promise<void>;
}

type Forge = (world: AttackWorld, request: ApprovalRequest) => Promise<SignedApproval>;

/** Alice approves as she should; the second approval is forged. */
function forged(name: string, forge: Forge): Attack {
  return {
    name,
    control: "unchecked",
    async run(world) {
      const { session, request } = await world.waiting();
      const good = await world.signed(request, "alice");
      await world.finish(session, request, good, await forge(world, request));
    },
  };
}

/** A good approval by Bob, changed after he signed it. */
function edited(name: string, change: Partial<SignedApproval["statement"]>): Attack {
  return forged(name, async (world, request) => {
    const { statement, signature } = await world.signed(request, "bob");
    return { statement: { ...statement, ...change }, signature };
  });
}

/** Both approve another request, and their approvals are given to this one. */
function replayed(
  name: string,
  other: (
    world: AttackWorld,
  ) => Promise<{ readonly of: ApprovalRequest; readonly to: Awaited<ReturnType<AttackWorld["waiting"]>> }>,
): Attack {
  return {
    name,
    control: "unchecked",
    async run(world) {
      const { of, to } = await other(world);
      const both = [await world.signed(of, "alice"), await world.signed(of, "bob")];
      const before = world.paid.length;
      await world.finish(to.session, to.request, ...both);
      world.paid.splice(0, before);
    },
  };
}

const SIGNATURES: readonly Attack[] = [
  forged("an unknown key, under the name and the key id of an approver", (world, request) =>
    world.signed(request, "mallory", { approver: "bob@example.com", key: world.keys.bob }),
  ),
  forged("an unknown key with its own id, under the name of an approver", (world, request) =>
    world.signed(request, "mallory", { approver: "bob@example.com" }),
  ),
  forged("a name that is no approver's", (world, request) => world.signed(request, "mallory")),
  forged("a name of an object's prototype", (world, request) =>
    world.signed(request, "mallory", { approver: "constructor" }),
  ),
  forged("the key of a person who left", (world, request) => world.signed(request, "dave")),
  forged("one approver's key under the name of another", (world, request) =>
    world.signed(request, "alice", { approver: "bob@example.com" }),
  ),
  forged("another namespace", (world, request) => world.signed(request, "bob", { namespace: "git" })),
  forged("another namespace that is written as the right one", (world, request) =>
    world.signed(request, "bob", { namespace: "git", parts: { namespace: "toolkeep-approval" } }),
  ),
  forged("another algorithm", (world, request) =>
    world.signed(request, "bob", { parts: { type: "ssh-rsa" } }),
  ),
  forged("another hash", (world, request) => world.signed(request, "bob", { parts: { hash: "sha384" } })),
  forged("a signature of another text", async (world, request) => {
    const { statement } = await world.signed(request, "bob");
    return { statement, signature: world.keys.bob.sign("toolkeep-approval", "{}") };
  }),
  forged("a truncated signature", async (world, request) => {
    const { statement, signature } = await world.signed(request, "bob");
    return { statement, signature: `${signature.slice(0, 200)}\n-----END SSH SIGNATURE-----\n` };
  }),
  forged("an empty signature", async (world, request) => ({
    ...(await world.signed(request, "bob")),
    signature: "",
  })),
  forged("a signature without the touch of the security key's owner", (world, request) =>
    world.signed(request, "bob", { parts: { type: "sk-ssh-ed25519@openssh.com", flags: 0 } }),
  ),
];

const STATEMENTS: readonly Attack[] = [
  edited("the approver's name, changed after signing", { approver: "carol@example.com" }),
  edited("other arguments", { binding: { arguments: "00", definition: "00" } }),
  edited("another policy", { policy: "00" }),
  edited("other lines than were shown", { shown: "00" }),
  edited("a removed nonce", { nonce: "" }),
  edited("a later expiry", { expiresAt: Date.now() + 10 ** 9 }),
  edited("another call", { call: "c2" }),
  edited("another origin", { origin: { layer: "project", source: "folder" } }),
  forged("a rejection, changed into an approval", async (world, request) => {
    const { statement, signature } = await world.signed(request, "bob", { verdict: "reject" });
    return { statement: { ...statement, verdict: "once" }, signature };
  }),
  forged("an approval that has expired", (world, request) =>
    world.signed(request, "bob", { expiresAt: Date.now() - 1 }),
  ),
];

const REPLAYS: readonly Attack[] = [
  replayed("approvals of another session with the same ids", async (world) => {
    const { request: of } = await world.waiting({ id: "s2" });
    return { of: { ...of, sessionId: "s1" }, to: await world.waiting() };
  }),
  replayed("approvals of a session that was forgotten, for a new one with the same ids", async (world) => {
    const first = await world.waiting();
    await first.session.close();
    await world.store.forget("s1");
    return { of: first.request, to: await world.waiting() };
  }),
  replayed("approvals of another process with a store in memory and the same ids", async (world) => {
    const first = await world.waiting({ store: memoryStore() });
    return { of: first.request, to: await world.waiting({ store: memoryStore() }) };
  }),
  replayed("approvals of the same call in an earlier turn", async (world) => {
    const to = await world.waiting();
    const of = await world.ask(to.session, "t0");
    return { of, to };
  }),
  replayed("approvals that were used before, with the ids of the new request", async (world) => {
    const first = await world.waiting();
    const used = [await world.signed(first.request, "alice"), await world.signed(first.request, "bob")];
    await world.finish(first.session, first.request, ...used);
    const request = await world.ask(first.session, "t2");
    const { nonce = "" } = first.request;
    return { of: { ...request, nonce }, to: { session: first.session, request } };
  }),
];

const QUORUM: readonly Attack[] = [
  forged("one person with two keys", (world, request) =>
    world.signed(request, "alice's second", { approver: "alice@example.com" }),
  ),
  forged("the same approval twice", (world, request) => world.signed(request, "alice")),
  forged("the requester", (world, request) => world.signed(request, "erin")),
  forged("a member of a group that is spelled otherwise", (world, request) => world.signed(request, "carol")),
  ...["ERIN@example.com", "ｅrin@example.com", "erin"].map(
    (user): Attack => ({
      name: `the requester, as ${JSON.stringify(user)}`,
      control: "unchecked",
      async run(world) {
        const { session, request } = await world.waiting({ principal: { user } });
        await world.finish(
          session,
          request,
          await world.signed(request, "alice"),
          await world.signed(request, "erin"),
        );
      },
    }),
  ),
  {
    name: "one approval of two",
    control: "one of the group",
    async run(world) {
      const { session, request } = await world.waiting();
      await world.finish(session, request, await world.signed(request, "alice"));
    },
  },
  {
    name: "an approver who left between signing and running",
    control: "unchecked",
    async run(world) {
      const { session, request } = await world.waiting();
      await world.give(
        session,
        request,
        await world.signed(request, "alice"),
        await world.signed(request, "bob"),
      );
      await session.close();
      const { "bob@example.com": _, ...approvers } = world.approvers;
      const { keys } = world;
      const frank = { "frank@example.com": { keys: [keys.dave.line], groups: ["payments"] } };
      await (await world.session({ approvers: { ...approvers, ...frank } })).resume("t1");
    },
  },
];

const ONCE = { verdict: "once", by: "alice@example.com, bob@example.com" } as const;

/** An answer without a signature. */
function unsigned(name: string, run: (world: AttackWorld) => Promise<void>): Attack {
  return { name, control: "plain rule", run };
}

const UNSIGNED: readonly Attack[] = [
  unsigned("an unsigned answer", async (world) => {
    const { session, request } = await world.waiting();
    await world.finish(session, request, ONCE);
  }),
  unsigned("`always`", async (world) => {
    const { session, request } = await world.waiting();
    await world.finish(session, request, { verdict: "always", by: "alice@example.com" });
  }),
  unsigned("`rules`", async (world) => {
    const { session, request } = await world.waiting();
    const rules = [{ permission: "payments.send", pattern: "acme", action: "allow" }] as const;
    await world.finish(session, request, { verdict: "rules", rules });
  }),
  unsigned("`edit`", async (world) => {
    const { session, request } = await world.waiting();
    await world.finish(session, request, { verdict: "edit", arguments: { to: "mallory" } });
  }),
  unsigned("the approver of the session", async (world) => {
    const session = await world.session({ approver: async () => ONCE });
    await session.run([call("pay", { to: "acme" })], { id: "t1" });
  }),
  unsigned("an answer that is planted in the store", async (world) => {
    const { session, request } = await world.waiting();
    await session.close();
    const left = { sessionId: "s1", requestId: request.id, answer: ONCE };
    // Below `answer`, which refuses it.
    const taken = vi.spyOn(world.store, "takeAnswers").mockImplementation(async (_sessionId, give) => {
      await give(left);
    });
    await (await world.session()).resume("t1");
    expect(taken).toHaveBeenCalled();
  }),
  unsigned("an event that is planted in the journal", async (world) => {
    const journal = memoryJournal();
    const { session } = await world.waiting({ journal });
    await session.close();
    const { nextSeq } = await journal.extent();
    journal.append(nextSeq, Date.now(), "t1", { type: "approval-answer", id: "c1", answer: ONCE });
    await journal.flush();
    await (await world.session({ journal })).resume("t1");
  }),
  unsigned("an approval that is remembered from before the rule", async (world) => {
    const first = await world.waiting({ policy: [PLAIN], project: "/ws" });
    await world.finish(first.session, first.request, { verdict: "always", scope: "project" });
    await first.session.close();
    world.paid.splice(0);
    const session = await world.session({ id: "s2", project: "/ws" });
    await session.run([call("pay", { to: "acme", amount: 100 })], { id: "t1" });
  }),
  unsigned("the mode yolo", async (world) => {
    const session = await world.session({ policy: { mode: "yolo", rules: [world.rule()] } });
    await session.run([call("pay", { to: "acme" })], { id: "t1" });
  }),
  unsigned("a stage machine", async (world) => {
    const stages = { name: "ours", evaluate: () => "approve" as const };
    const session = await world.session({ policy: { stages, rules: [world.rule()] } });
    await session.run([call("pay", { to: "acme" })], { id: "t1" });
  }),
  unsigned("a rule that the answer to another call added", async (world) => {
    const note = stubTool("note", () => "noted", {
      requires: { capabilities: ["notes.write"] },
      effects: () => [effect("notes.write", "x")],
    }).tool;
    const session = await world.session({ policy: [world.rule(), "ask notes.write"] });
    const rules = [
      { permission: "notes.write", pattern: "x", action: "allow" },
      { permission: "payments.send", pattern: "acme", action: "allow" },
    ] as const;
    const other = await world.session({
      id: "s3",
      tools: [note],
      parent: session.childContext("child"),
      approver: scriptedApprover("later"),
    });
    await other.run([call("note")], { id: "t0" });
    await other.answer("t0/c1", { verdict: "rules", rules });
    await other.resume("t0");
    await session.run([call("pay", { to: "acme" })], { id: "t1" });
  }),
  unsigned("an edit of a call that anybody may approve into one that needs signatures", async (world) => {
    const rules = [world.rule('ask payments.send "acme*" by 2 of group payments'), PLAIN];
    const { session, request } = await world.waiting({ policy: rules }, { to: "petty cash" });
    await world.finish(session, request, { verdict: "edit", arguments: { to: "acme", amount: 9 } });
  }),
];

/** The policy changes between the answer and the run. */
function late(name: string, before: string, after: readonly string[]): Attack {
  return {
    name,
    control: "unchanged policy",
    async run(world) {
      const { session, request } = await world.waiting({ policy: [before] });
      const answer = before.includes(" by ") ? await world.signed(request, "alice") : ONCE;
      await world.give(session, request, answer);
      await session.close();
      await (await world.session({ policy: world.later(after, [before]) })).resume("t1");
    },
  };
}

const LATE: readonly Attack[] = [
  late("an unsigned answer from before the rule that needs signatures", PLAIN, [BY_TWO]),
  late("one approval from before the rule that needs two", 'ask payments.send "*" by group payments', [
    BY_TWO,
  ]),
  late("an answer to an ask with another reason", PLAIN, [`${PLAIN} because "The CFO must see this"`]),
  late("an answer from before another rule asked", PLAIN, ['ask payments.send "acme*"']),
  late("an answer from before a deny", PLAIN, ['deny payments.send "*"']),
];

export const ATTACKS: readonly Attack[] = [
  ...SIGNATURES,
  ...STATEMENTS,
  ...REPLAYS,
  ...QUORUM,
  ...UNSIGNED,
  ...LATE,
];
