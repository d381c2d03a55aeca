import type { Approvers } from "@toolkeep/core/policy";
import { expect, onTestFinished, test } from "vitest";
import { AttackWorld } from "./attack-world.ts";

const YEAR_MS = 365 * 24 * 3_600_000;

/** As before a key in `approvers`. */
function until(time: number): string {
  const digits = new Date(time).toISOString().replaceAll(/[-T:]|\..*/g, "");
  return `valid-before=${digits}Z`;
}

/** A world in which the first person's keys end at a time. */
function world(time: number): { readonly people: AttackWorld; readonly approvers: Approvers } {
  const people = new AttackWorld(undefined);
  onTestFinished(() => people.close());
  const { "alice@example.com": alice, ...others } = people.approvers;
  const keys = (alice?.keys ?? []).map((line) => `${until(time)} ${line}`);
  return { people, approvers: { ...others, "alice@example.com": { ...alice, keys } } };
}

test("a key with an end that is to come signs as any other", async () => {
  const { people, approvers } = world(Date.now() + YEAR_MS);
  const { session, request } = await people.waiting({ approvers });
  await people.finish(
    session,
    request,
    await people.signed(request, "alice"),
    await people.signed(request, "bob"),
  );
  expect(people.paid).toEqual(["acme"]);
});

test("an answer that is signed after its approver has left is refused, with the date", async () => {
  const { people, approvers } = world(Date.now() - YEAR_MS);
  // A third person keeps the payment possible.
  const carol = { keys: [people.keys.carol.line], groups: ["payments"] };
  const { session, request } = await people.waiting({
    approvers: { ...approvers, "carol@example.com": carol },
  });
  await expect(session.answer(request.id, await people.signed(request, "alice"))).rejects.toThrow(
    /its key of alice@example\.com was valid until \d{4}-/,
  );
  await people.finish(session, request, await people.signed(request, "bob"));
  expect(people.paid).toEqual([]);
});

test("what was signed before does not count once its approver has left", async () => {
  const { people, approvers } = world(Date.now() - YEAR_MS);
  const { session, request } = await people.waiting();
  await people.give(session, request, await people.signed(request, "alice"));
  await session.close();
  const later = await people.session({ approvers });
  await people.finish(later, request, await people.signed(request, "bob"));
  expect(people.paid).toEqual([]);
});

test("a call that needs more people than are left is denied at once, and waits for none", async () => {
  const { people, approvers } = world(Date.now() - YEAR_MS);
  const session = await people.session({ approvers });
  const { requests, results } = await session.run(
    [{ id: "c1", name: "pay", arguments: { to: "acme", amount: 1 } }],
    { id: "t1" },
  );
  expect(requests).toEqual([]);
  expect(JSON.stringify(results)).toContain("the configured approvers have 1");
  expect(people.paid).toEqual([]);
});
