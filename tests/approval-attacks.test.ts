import { verifyApproval } from "@toolkeep/core/policy";
import { describe, expect, test } from "vitest";
import { AttackWorld, acceptsApprovers, BY_TWO, type Control } from "./approvals/attack-world.ts";
import { ATTACKS } from "./approvals/attacks.ts";
import { PLANTED_ROWS, withRowInFile } from "./approvals/planted-rows.ts";
import { newKey } from "./ssh-keys.ts";

async function paidIn(run: (world: AttackWorld) => Promise<void>, control?: Control): Promise<number> {
  const world = new AttackWorld(control);
  try {
    await run(world);
    return world.paid.length;
  } finally {
    await world.close();
  }
}

test("there are at least 40 attacks, each with a name of its own", () => {
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
  expect(ATTACKS.length).toBeGreaterThanOrEqual(40);
});

describe("does not approve a payment that needs two signatures", () => {
  test.each([...ATTACKS, ...PLANTED_ROWS])("$name", async ({ control, run }) => {
    // An attack that fails without the defence as well would show nothing.
    expect(await paidIn(run, control), `with ${control}`).toBeGreaterThan(0);
    expect(await paidIn(run)).toBe(0);
  });
});

test("a row that is added to the file of a store is found when the session is opened", async () => {
  const world = new AttackWorld(undefined);
  expect(await withRowInFile(world)).toBe("journal_broken");
  expect(world.paid).toEqual([]);
});

describe("two people approve", () => {
  test("in two processes, and the journal proves it with their public keys alone", async () => {
    const world = new AttackWorld(undefined);
    const { session, request } = await world.waiting();
    expect(request.lines.join("\n")).toContain("Who must approve: 2 of the group payments");
    await session.answer(request.id, await world.signed(request, "alice"));
    expect(await session.waiting()).toHaveLength(1);
    expect((await session.resume("t1")).status).toBe("waiting");
    await session.close();
    await world.store.answer({ sessionId: "s1", id: request.id }, await world.signed(request, "bob"));
    const later = await world.session();
    expect(await later.resume("t1")).toMatchObject({ status: "done", results: [{ ok: true }] });
    expect(world.paid).toEqual(["acme"]);
    const answers = [];
    for await (const event of later.journal.read())
      if (event.type === "approval-answer") answers.push(event.answer);
    const [answer] = answers;
    if (answer?.verdict !== "once" || answer.signed === undefined) throw new Error("Nothing was signed.");
    expect(answer.by).toBe("alice@example.com, bob@example.com");
    const [first, second] = answer.signed;
    if (first === undefined || second === undefined) throw new Error("One signature is missing.");
    expect(await verifyApproval(first, world.keys.alice.line)).toBe(true);
    expect(await verifyApproval(second, world.keys.bob.line)).toBe(true);
    expect(await verifyApproval(second, world.keys.alice.line)).toBe(false);
    const forged = { ...first, statement: { ...first.statement, approver: "eve" } };
    expect(await verifyApproval(forged, world.keys.alice.line)).toBe(false);
    await world.close();
  });

  test("and the rejection of one of them ends it", async () => {
    const world = new AttackWorld(undefined);
    const { session, request } = await world.waiting();
    await session.answer(request.id, await world.signed(request, "alice"));
    await session.answer(request.id, await world.signed(request, "bob", { verdict: "reject" }));
    const { results } = await session.resume("t1");
    expect(results[0]?.failure?.message).toBe("Denied: bob@example.com rejected this call.");
    await world.close();
  });

  test("who says why an answer is refused", async () => {
    const world = new AttackWorld(undefined);
    const { session, request } = await world.waiting();
    const refusal = async (answer: Parameters<typeof session.answer>[1]) =>
      session.answer(request.id, answer).catch((error: Error) => error.message);
    expect(await refusal({ verdict: "once" })).toContain(
      "it is not signed, and it needs 2 of the group payments",
    );
    expect(await refusal(await world.signed(request, "erin"))).toContain("made the request");
    expect(await refusal(await world.signed(request, "carol"))).toContain("is not in the group payments");
    await session.answer(request.id, await world.signed(request, "alice"));
    expect(await refusal(await world.signed(request, "alice"))).toContain("has signed it already");
    await world.close();
  });

  test("a call that no approver can approve is denied at once", async () => {
    const world = new AttackWorld(undefined);
    for (const [options, why] of [
      [{ principal: {} }, "has no user"],
      [{ approvers: {} }, "the configured approvers have 0"],
      [{ policy: [BY_TWO.replace("group payments", "group treasury")] }, "treasury"],
    ] as const) {
      const session = await world.session({ ...options, id: `s-${why}` } as never);
      const [result] = (await session.run([{ id: "c1", name: "pay", arguments: { to: "a" } }])).results;
      expect(result?.failure?.message).toContain(why);
    }
    await world.close();
  });
});

describe("approvers", () => {
  const key = newKey().line;
  test.each([
    ["one key in two names", { ada: { keys: [key] }, bob: { keys: [key] } }],
    ["two names that differ in case", { ada: { keys: [key] }, ADA: { keys: [newKey().line] } }],
    [
      "a name of another approver as `users`",
      { ada: { keys: [key] }, bob: { keys: [newKey().line], users: ["Ada"] } },
    ],
    ["a name with an invisible character", { "a\u200bda": { keys: [key] } }],
    ["a name in another form of Unicode", { ａda: { keys: [key] } }],
    ["no key", { ada: { keys: [] } }],
    ["an unknown field", { ada: { keys: [key], group: ["a"] } as never }],
  ])("with %s are refused", (_, approvers) => {
    expect(acceptsApprovers(approvers)).toBe(false);
    expect(acceptsApprovers({ ada: { keys: [key], groups: ["payments"], users: ["ada.l"] } })).toBe(true);
  });
});
