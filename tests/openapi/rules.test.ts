import type { ApprovalRequest, Rule } from "@toolkeep/core";
import { effect, fsWrite } from "@toolkeep/core/internal";
import type { OpenApiToolsOptions } from "@toolkeep/openapi";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { answerJson, type OpenApiBench, openApiBench } from "./open-api-bench.ts";
import { petsDocument } from "./pets-document.ts";

let bench: OpenApiBench;

beforeAll(async () => {
  bench = await openApiBench((_, response) => answerJson(response, {}));
});
afterAll(() => bench.close());
afterEach(() => bench.seen.splice(0));

const CALLS = {
  getPet: { petId: "1" },
  putPet: { petId: "1", body: { name: "Rex" } },
  addPet: { body: { name: "Rex" } },
  deletePet: { petId: "1" },
};

/** Which calls are executed under these rules without an approver. */
async function carriedOut(
  rules: readonly Rule[],
  options: Omit<OpenApiToolsOptions, "document"> = {},
): Promise<readonly string[]> {
  const set = await bench.tools(petsDocument(`${bench.origin}/v1`), options);
  await using session = await bench.session(set, { policy: { mode: "ask", rules } });
  const done: string[] = [];
  for (const [name, args] of Object.entries(CALLS)) {
    const { ok } = await session.call({ id: name, name, arguments: args });
    if (ok) done.push(name);
  }
  return done;
}

function allow(permission: string, pattern?: string): Rule {
  return { permission, action: "allow", ...(pattern === undefined ? {} : { pattern }) };
}

describe("rules", () => {
  test("without any, every call asks", async () => {
    expect(await carriedOut([])).toEqual([]);
    expect(bench.seen).toHaveLength(0);
  });

  test("on the host let calls read, and change nothing", async () => {
    expect(await carriedOut([allow("net.fetch", "one.test")])).toEqual(["getPet"]);
  });

  test("name method, host and path of what may be changed", async () => {
    const { host } = new URL(bench.origin);
    expect(await carriedOut([allow("http.write", `PUT ${host}/v1/pets/*`)])).toEqual(["putPet"]);
    expect(await carriedOut([allow("http.write", `* ${host}/*`)])).toEqual(["putPet", "addPet"]);
    expect(await carriedOut([allow("http.delete", `DELETE ${host}/v1/pets/1`)])).toEqual(["deletePet"]);
    expect(await carriedOut([allow("http.delete", `DELETE ${host}/v1/pets/2`)])).toEqual([]);
  });

  test("that deny hold against wider ones that allow, for reading as well", async () => {
    const everything = allow("*");
    expect(await carriedOut([everything, { permission: "http.delete", action: "deny" }])).toEqual([
      "getPet",
      "putPet",
      "addPet",
    ]);
    expect(
      await carriedOut([everything, { permission: "net.fetch", pattern: "one.test", action: "deny" }]),
    ).toEqual([]);
    const secret: Rule = { permission: "http.read", pattern: "GET */v1/pets/1", action: "deny" };
    expect(await carriedOut([allow("net.fetch", "one.test"), secret])).toEqual([]);
  });

  test.each(["1/owner", "1%2Fowner", "1%252Fowner", "1\\owner", "1//owner/", "1/owner;x=1", "1／owner"])(
    "[second attack 04] that deny a path hold when an argument hides it: %s",
    async (petId) => {
      const set = await bench.tools(petsDocument(`${bench.origin}/v1`));
      const deny: Rule = { permission: "http.*", pattern: "* */v1/pets/1/owner", action: "deny" };
      await using session = await bench.session(set, { policy: { mode: "ask", rules: [allow("*"), deny] } });
      for (const name of ["getPet", "deletePet"]) {
        const result = await session.call({ id: name, name, arguments: { petId } });
        expect(result.ok ? "sent" : result.failure?.code).toBe("denied");
      }
      expect(bench.seen).toHaveLength(0);
      expect((await session.call({ id: "other", name: "getPet", arguments: { petId: "2/owner" } })).ok).toBe(
        true,
      );
    },
  );

  test("[second attack 04] that deny a path hold in the spelling that people write", async () => {
    const set = await bench.tools(petsDocument(`${bench.origin}/v1`));
    const deny: Rule = { permission: "http.*", pattern: "* */v1/pets/root@corp.example", action: "deny" };
    await using session = await bench.session(set, { policy: { mode: "ask", rules: [allow("*"), deny] } });
    const args = { petId: "root@corp.example" };
    const result = await session.call({ id: "c", name: "deletePet", arguments: args });
    expect(result.ok ? "sent" : result.failure?.code).toBe("denied");
  });

  test("on another capability cover an operation that the host application says means it", async () => {
    const means: Omit<OpenApiToolsOptions, "document">["means"] = ({ id }) =>
      id === "putPet"
        ? {
            requires: { fs: { write: ["/pets/**"] }, capabilities: ["pets.rename"] },
            effects: ({ petId }) => [fsWrite(`/pets/${petId}`), effect("pets.rename", String(petId))],
          }
        : undefined;
    const rules: Rule[] = [allow("*"), { permission: "fs.write", pattern: "/pets/**", action: "deny" }];
    expect(await carriedOut(rules, { means })).toEqual(["getPet", "addPet", "deletePet"]);
  });
});

test("a person is asked in words that name the operation, the host and the thing", async () => {
  const set = await bench.tools(petsDocument(`${bench.origin}/v1`));
  const asked: ApprovalRequest[] = [];
  const approver = {
    approve: async (request: ApprovalRequest) => {
      asked.push(request);
      return { verdict: "reject" } as const;
    },
  };
  await using session = await bench.session(set, { policy: { mode: "ask" }, approver });
  await session.call({ id: "c1", name: "putPet", arguments: CALLS.putPet });
  await session.call({ id: "c2", name: "deletePet", arguments: CALLS.deletePet });
  const { host } = new URL(bench.origin);
  const [put, remove] = asked;
  expect(put?.label).toBe(`PUT /pets/{petId} on ${host}`);
  expect(put?.origin).toEqual({ layer: "code", source: "openapi", id: "Pets" });
  expect(put?.lines.join("\n")).toContain(`http.write PUT ${host}/v1/pets/1`);
  expect(remove?.lines.join("\n")).toContain("cannot be undone");
});

test("a tool's mode says how much it changes", async () => {
  const { tools } = await bench.tools(petsDocument(bench.origin));
  expect(Object.fromEntries(tools.map(({ name, mode }) => [name, mode]))).toEqual({
    listPets: "read",
    addPet: "external",
    getPet: "read",
    putPet: "external",
    deletePet: "destructive",
  });
});
