import { createSession, memoryStore, type PersonRequest, type SessionOptions } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { type ApprovalsServiceOptions, openApprovalsService } from "@toolkeep/postgres/approvals";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../scenario.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

interface Scene {
  /** The user that the call is made for; none where the session has no user. */
  readonly requester?: string | undefined;
  readonly user?: string;
  /** What else the token says of the person who answers. */
  readonly person?: object;
  readonly service?: Partial<ApprovalsServiceOptions>;
  readonly session?: Partial<SessionOptions>;
  readonly call?: "pay" | "which";
}

/** A request that waits, and a person who answers it at the service. */
async function asking({
  requester = "ada",
  user = "ada",
  person,
  service,
  session: own,
  call = "pay",
}: Scene) {
  const store = memoryStore();
  const pay = stubTool("pay", () => "paid", { idempotent: false });
  const which = stubTool("which", async (_args, ctx) => ctx.ask([{ question: "Which?" }]));
  const session = await createSession({
    ...{ id: "s", store, tools: [pay.tool, which.tool], policy: ["ask pay", "allow which"] },
    approver: { approve: async () => "later", answer: async () => "later" },
    principal: { tenant: "one", ...(requester === "" ? {} : { user: requester }) },
    ...own,
  } as SessionOptions);
  opened.push(session);
  expect((await session.run([{ id: "1", name: call, arguments: {} }], { id: "t" })).status).toBe("waiting");
  const serving = await openApprovalsService({
    store,
    authentication: {
      authenticate: async () => ({ id: "1", principal: { user, tenant: "one" }, ...person }),
    },
    mayAnswer: () => true,
    ...service,
  });
  opened.push(serving);
  const [waiting] = await store.waiting();
  const answer = async (given: unknown) => {
    const response = await fetch(`${serving.url}/answers`, {
      method: "POST",
      headers: { authorization: "Bearer x", "content-type": "application/json" },
      body: JSON.stringify({ sessionId: "s", id: waiting?.request.id, answer: given }),
    });
    return [response.status, ((await response.json()) as { readonly error?: string }).error] as const;
  };
  return { store, session, pay, answer };
}

const ONCE = { verdict: "once" };
const OTHER_TENANT = { principal: { user: "ada", tenant: "two" } };
const ofMail = (_person: unknown, { toolName }: PersonRequest) => toolName === "mail";
const failing = () => {
  throw new Error("The directory is away.");
};

describe("at the approvals service", () => {
  test.each<[string, Scene]>([
    ["under the same name", {}],
    ["in other letters", { requester: "ADA" }],
    ["by an e-mail address", { requester: "ada@example.com" }],
    ["by an account, with a token that names an address", { user: "ada@example.com" }],
    ["by the subject of the token", { requester: "u-123", person: { id: "u-123" } }],
    ["under another of the names", { requester: "Ada.L", person: { users: ["al", "ada.l"] } }],
  ])("a person cannot approve their own request, made %s, and may reject it", async (_how, scene) => {
    const { store, session, pay, answer } = await asking(scene);
    const error = `This request was made for ${scene.requester ?? "ada"}, who cannot approve it. Another person must approve it, or you reject it.`;
    expect(await answer(ONCE)).toEqual([403, error]);
    expect(await store.waiting()).toHaveLength(1);
    expect((await answer({ verdict: "reject", message: "A mistake." }))[0]).toBe(202);
    await until(async () => (await session.waiting()).length === 0);
    expect((await session.resume("t")).results[0]?.ok).toBe(false);
    expect(pay.executed).toEqual([]);
  });

  test.each<[string, Scene, number]>([
    ["of another person", { requester: "eve" }, 202],
    ["of a person of the same name elsewhere", { requester: "ada@b.example", user: "ada@a.example" }, 202],
    ["that no user made", { requester: "" }, 202],
    ["of their own, where the service says so", { service: { mayAnswerOwn: () => true } }, 202],
    ["of their own, where it says so of another tool", { service: { mayAnswerOwn: ofMail } }, 403],
    ["of their own, where what says so fails", { service: { mayAnswerOwn: failing } }, 403],
    ["of another tenant, even where they may approve their own", { person: OTHER_TENANT }, 404],
  ])("an approval of a request %s", async (_whose, scene, status) => {
    const { answer } = await asking(scene);
    expect((await answer(ONCE))[0]).toBe(status);
  });

  test("a signature of the requester is no approval either, also from the token of another person", async () => {
    const { answer } = await asking({ requester: "eve" });
    const signed = (verdict: string) => ({ statement: { verdict, approver: "Eve" }, signature: "-" });
    expect((await answer(signed("once")))[0]).toBe(403);
    expect((await answer(signed("reject")))[0]).toBe(202);
  });

  test("a call of a subagent is that of the person whose agent started it", async () => {
    const parent = await createSession({
      tools: [stubTool("pay", () => "paid").tool],
      policy: ["ask pay"],
      approver: async () => "later",
      principal: { user: "ada", tenant: "one" },
    });
    opened.push(parent);
    const session = { parent: parent.childContext("scout"), principal: undefined } as never;
    const { answer } = await asking({ session });
    expect((await answer(ONCE))[0]).toBe(403);
  });

  test("who asked may answer the questions of their own tools, with one list for each", async () => {
    const { answer } = await asking({ call: "which" });
    const [status, error] = await answer([["a"], ["b"]]);
    expect([status, error]).toEqual([409, expect.stringContaining("one list of texts for each question")]);
    expect((await answer([["a"]]))[0]).toBe(202);
  });
});
