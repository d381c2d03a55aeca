import { join } from "node:path";
import { defineTool, type Session, type ToolCall } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { scriptedApprover } from "@toolkeep/core/testing";
import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";

const ship = defineTool({
  name: "ship",
  description: "Ship a release.",
  inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  requires: { capabilities: ["ship"] },
  effects: ({ to }) => [effect("ship", to)],
  execute: ({ to }) => `released to ${to}`,
});

const choose = defineTool({
  name: "choose",
  description: "Asks which.",
  mode: "read",
  inputSchema: { type: "object" },
  requires: {},
  execute: async (_args, ctx) =>
    ctx.ask([
      { question: "Why?" },
      { question: "Which?", multiSelect: true, options: [{ label: "a" }, { label: "b" }, { label: "c" }] },
    ]),
});

const LATER = scriptedApprover("later", () => "later");

let bench: CliBench;
let store: SqliteStore;
let workspace: Workspace;
let session: Session;

beforeEach(async () => {
  bench = cliBench();
  store = openSqliteStore({ path: join(bench.environment.TOOLKEEP_HOME, "state", "sessions") });
  workspace = await openWorkspace({
    roots: [bench.project],
    sandbox: noSandbox(),
    sidecars: join(bench.base, "sidecars"),
    store,
  });
  session = await workspace.createSession({ id: "s1", tools: [ship, choose], approver: LATER });
});
afterEach(async () => {
  await session.close();
  await workspace.close();
  await store.close();
  bench.remove();
});

const parked = (turnId: string, to: string) => parkedCall(turnId, { name: "ship", arguments: { to } });

async function parkedCall(turnId: string, call: Omit<ToolCall, "id">): Promise<string> {
  const turn = await session.run([{ id: "c1", ...call }], { id: turnId });
  expect(turn.status).toBe("waiting");
  return turn.requests[0]?.id ?? "";
}

/** The result of a turn after the session has picked up the submitted answers. */
/** The session takes the answers itself, when it hears of them or now. */
async function resumed(turnId: string) {
  return (await session.resume(turnId)).results[0];
}

test("lists the pending requests with their details, for people and for programs", async () => {
  const id = await parked("turn-a", "prod");
  const plain = await bench.run(["approvals"]);
  expect(plain).toMatchObject({ code: 0 });
  expect(plain.stdout.split("\n")[0]).toBe(id);
  expect(plain.stdout).toContain("prod");
  const listed = JSON.parse((await bench.run(["--json", "approvals", "list"])).stdout);
  expect(listed).toMatchObject([{ id, sessionId: "s1", toolName: "ship", kind: "approval" }]);
});

/** Runs the program in a terminal, without typing anything. */
const inOwnTerminal = (args: string) =>
  inTerminal(`${OWN_LINE} ${args}`, [], { cwd: bench.project, env: bench.environment });

test.skipIf(!hasPseudoTerminal)("an approval with a shortened id allows the call once", async () => {
  await parked("turn-1a2b3c4d", "prod");
  await parked("turn-5e6f7a8b", "test");
  const outcome = await inOwnTerminal("approvals approve 1a2b3c4d --json --yes");
  expect(outcome.code).toBe(0);
  const by = expect.stringMatching(/^\S+ \(uid \d+\), unsigned$/);
  expect(JSON.parse(outcome.shown)).toMatchObject({ answer: { verdict: "once", by } });
  expect(await resumed("turn-1a2b3c4d")).toMatchObject({ ok: true, data: "released to prod" });
});

test("a rejection reaches the model with its reason", async () => {
  const id = await parked("turn-a", "prod");
  expect(await bench.run(["approvals", "reject", id, "not", "on", "Fridays"])).toMatchObject({ code: 0 });
  const result = await resumed("turn-a");
  expect(result?.failure?.message).toContain("An approver rejected this call: not on Fridays");
});

test("[editor B7] an approval or an answer needs a terminal, also with --yes, and a rejection does not", async () => {
  const id = await parked("turn-a", "prod");
  const refused = await bench.run(["approvals", "approve", id, "--yes"]);
  expect(refused).toMatchObject({ code: 4, stdout: "" });
  expect(refused.stderr).toContain("--sign");
  expect(await bench.run(["approvals", "approve", id, "--by", "Ann"])).toMatchObject({ code: 2, stdout: "" });
  const question = await parkedCall("turn-b", { name: "choose", arguments: {} });
  expect(await bench.run(["approvals", "answer", question, "because", "a"])).toMatchObject({
    code: 4,
    stdout: "",
  });
  expect(await store.waiting()).toHaveLength(2);
  expect(await bench.run(["approvals", "reject", id])).toMatchObject({ code: 0 });
});

test.skipIf(!hasPseudoTerminal)("an approval with --always is remembered", async () => {
  const id = await parked("turn-a", "prod");
  expect(await inOwnTerminal(`approvals approve ${id} --always --yes`)).toMatchObject({ code: 0 });
  expect(await resumed("turn-a")).toMatchObject({ ok: true });
  expect(await session.run([{ id: "c2", name: "ship", arguments: { to: "prod" } }])).toMatchObject({
    status: "done",
  });
});

test.skipIf(!hasPseudoTerminal)("questions need one text each, and cannot be approved", async () => {
  const id = await parkedCall("turn-a", { name: "choose", arguments: {} });
  expect((await bench.run(["approvals"])).stdout).toContain("choose asks (2): Which?");
  expect(await bench.run(["approvals", "approve", id])).toMatchObject({ code: 1, stdout: "" });
  expect(await bench.run(["approvals", "answer", id, "because"])).toMatchObject({ code: 2, stdout: "" });
  expect(await inOwnTerminal(`approvals answer ${id} because 'a, c' --yes`)).toMatchObject({ code: 0 });
  expect(await resumed("turn-a")).toMatchObject({ ok: true, data: [["because"], ["a", "c"]] });
  const other = await parked("turn-b", "prod");
  expect(await bench.run(["approvals", "answer", other, "yes"])).toMatchObject({ code: 1, stdout: "" });
});

test("an id that matches no request or several is an error", async () => {
  await parked("one-1a2b3c4d", "prod");
  await parked("two-1a2b3c4d", "test");
  expect(await bench.run(["approvals", "approve", "1a2b3c4d"])).toMatchObject({ code: 2, stdout: "" });
  for (const id of ["nothing", "one", "1a2b", ""])
    expect(await bench.run(["approvals", "approve", id])).toMatchObject({ code: 1, stdout: "" });
  const answers: unknown[] = [];
  await store.takeAnswers("s1", async (one) => answers.push(one) > 0);
  expect(answers).toEqual([]);
});

test("without pending requests the list is empty", async () => {
  expect(await bench.run(["approvals", "--json"])).toMatchObject({ code: 0, stdout: "[]\n" });
  expect(await bench.run(["approvals", "-q"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
});
