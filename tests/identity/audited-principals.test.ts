import { decodeEvent } from "@toolkeep/core/journal";
import { openSqliteStore } from "@toolkeep/sqlite";
import { expect, test } from "vitest";
import { callsOf } from "../../packages/cli/src/audit/records/logged-calls.ts";
import { eventsFrom } from "../../packages/cli/src/audit/ship/sent-events.ts";
import { activityOf } from "../../packages/cli/src/audit/ship/sink-formats.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { look, openService, pay } from "./stage.ts";

test("the log and what is sent to receivers name the principal of each call, also of one that waited", async () => {
  await using store = openSqliteStore({ path: temporaryFolder(), durability: "normal" });
  const policy = ["allow crm.read *", "ask payments.send *"];
  const options = { store, policy, approver: async () => "later" as const };
  const first = await openService({ ...options, principal: { user: "svc-one", tenant: "acme" } });
  await first.call(look("1", "own"));
  await first.call(look("2", "alice"), { principal: { user: "alice", groups: ["support"] } });
  await first.call(look("3", "unnamed"), { principal: { groups: ["support"] } });
  await first.run([pay(1, "bob", "waited")], { id: "turn1" });
  await first.run([pay(2, "bob", "eve")], { id: "turn2", principal: { user: "eve" } });
  await first.close();
  const second = await openService({ ...options, principal: { user: "svc-two" } });
  for (const { id } of await second.waiting()) await second.answer(id, { verdict: "once", by: "carol" });
  for (const turn of ["turn1", "turn2"]) await second.resume(turn);
  await second.call(look("4", "later"));
  await second.close();

  const logged = await callsOf(store, "service");
  expect(logged.map(({ callId, user }) => [callId, user])).toEqual([
    ["own", "svc-one"],
    ["alice", "alice"],
    ["unnamed", undefined],
    ["waited", "svc-one"],
    ["eve", "eve"],
    ["later", "svc-two"],
  ]);
  const sent = await Array.fromAsync(eventsFrom(store, "service", 0, decodeEvent));
  const ended = sent.filter(({ event }) => event.type === "call-end");
  expect(ended.map((one) => activityOf(one, { host: "laptop-7", account: "ada" }))).toMatchObject([
    { actor: { user: { name: "svc-one", org: { name: "acme" } } } },
    { actor: { user: { name: "alice", groups: [{ name: "support" }] } } },
    // OCSF knows no user without a name.
    { actor: { session: { uid: "service" } }, unmapped: { groups: ["support"] } },
    { actor: { user: { name: "svc-one", org: { name: "acme" } } } },
    { actor: { user: { name: "eve" } } },
    { actor: { user: { name: "svc-two" } } },
  ]);
});
