import type { Principal, ToolCall } from "@toolkeep/core";
import { memoryStore } from "@toolkeep/core";
import { recordedCalls } from "@toolkeep/core/policy";
import fc from "fast-check";
import { expect, test } from "vitest";
import { look, openService, pay } from "./stage.ts";

const numRuns = Number(process.env["TOOLKEEP_RUNS"] ?? 40);

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const principal: fc.Arbitrary<Partial<Principal>> = fc
  .record({
    user: maybe(fc.constantFrom("alice", "bob", "eve")),
    groups: maybe(fc.subarray(["finance", "support", "contractors"])),
    tenant: maybe(fc.constantFrom("acme", "outside")),
    role: maybe(fc.constantFrom("admin", "guest")),
  })
  .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));

const condition = fc
  .tuple(
    fc.boolean(),
    fc.constantFrom(
      ...["user alice", "user bob", "group finance", "group support", "group contractors"],
      ...["tenant acme", "tenant outside", "role admin", "role guest", "role agent"],
    ),
  )
  .map(([isNot, fact]) => (isNot ? `not ${fact}` : fact));
const rule = fc
  .tuple(
    fc.constantFrom("allow", "ask", "deny"),
    fc.constantFrom("payments.send *", "crm.read *", "payments.send bob*", "crm.read 1"),
    fc.array(condition, { minLength: 0, maxLength: 2 }),
  )
  .map(([action, what, all]) => `${action} ${what}${all.length === 0 ? "" : ` if ${all.join(" and ")}`}`);

const step = fc.record({
  /** Of the turn; `undefined`: that of the session. */
  principal: maybe(principal),
  call: fc.constantFrom<(id: string) => ToolCall>(
    (id) => pay(1, "bob", id),
    (id) => pay(2, "shop", id),
    (id) => look("1", id),
    (id) => look("2", id),
  ),
  how: fc.constantFrom("call", "run", "propose"),
  /** Whether the session is opened again before the answer, and for whom. */
  reopened: maybe(principal),
});

const later = async () => "later" as const;

/** What a session of this principal alone decides about the call. */
async function decidedAlone(
  rules: readonly string[],
  who: Partial<Principal>,
  call: ToolCall,
): Promise<string> {
  const session = await openService({ policy: { rules, builtIn: "off" }, principal: who });
  const { explanation } = await session.explain(call);
  await session.close();
  return explanation?.decision.action ?? "none";
}

test("every call is decided as in a session of its principal alone, and the journal names that principal", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 1, maxLength: 5 }),
      principal,
      fc.array(step, { minLength: 1, maxLength: 6 }),
      async (rules, first, steps) => {
        const store = memoryStore();
        const options = { store, policy: { rules, builtIn: "off" }, approver: later } as const;
        let own = first;
        let session = await openService({ ...options, principal: own });
        const expected = new Map<string, { readonly who: Partial<Principal>; readonly action: string }>();
        for (const [index, { principal: named, call: make, how, reopened }] of steps.entries()) {
          const call = make(`c${index}`);
          const id = `turn-${index}`;
          const who = named ?? own;
          const action = await decidedAlone(rules, who, call);
          expected.set(call.id, { who, action });
          const turn = { id, ...(named === undefined ? {} : { principal: named }) };
          if (how === "propose")
            await session.run(await session.propose(call, turn), { keepArguments: "begun" });
          else if (how === "run" || action === "ask") await session.run([call], turn);
          else await session.call(call, turn);
          if (reopened !== undefined) {
            await session.leave();
            own = reopened;
            session = await openService({ ...options, principal: own });
          }
          for (const { id: request } of await session.waiting()) {
            await session.answer(request, { verdict: "once" });
            await session.resume(id);
          }
        }
        const recorded = await recordedCalls(session.journal);
        expect(recorded.map(({ call }) => call.id).toSorted()).toEqual([...expected.keys()].toSorted());
        for (const { call, was, context } of recorded) {
          const { who, action } = expected.get(call.id) ?? { who: {}, action: "none" };
          expect([call.id, was]).toEqual([call.id, action]);
          expect({ ...context.principal }).toEqual({ role: "agent", workspace: "main", ...who });
        }
        await session.close();
      },
    ),
    { numRuns },
  );
});
