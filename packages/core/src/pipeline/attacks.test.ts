import { describe, expect, test } from "vitest";
import { call } from "../../../../tests/scenario.ts";
import { fsWrite, netFetch } from "../contract/call/effect.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { createRegistry } from "../registry/registry.ts";
import { checkInputSchema } from "../schema/check-schema.ts";
import { createSession } from "../session/create-session.ts";
import { stubTool } from "../testing/stub-tool.ts";

/** Each of these once worked. */

const file = {
  requires: { fs: { write: ["/**"] } },
  effects: (args: Record<string, unknown>) => [fsWrite(String(args["path"]))],
  idempotent: false,
};

describe("confinement and rules", () => {
  test("a deny is seen also where the tool does not say what it does", async () => {
    const { tool } = stubTool("opaque", () => "x", { requires: { fs: { write: ["/repo/**"] } } });
    const rules = [
      { permission: "fs.write", pattern: "/repo/**", action: "allow" },
      { permission: "fs.write", pattern: "/repo/secret/**", action: "deny" },
    ] as const;
    expect(
      (await (await createSession({ tools: [tool], policy: rules })).call(call("opaque"))).failure?.code,
    ).toBe("denied");
  });

  test.each(["EVIL.com", "evil.com.", "evil.com:443"])("a host is known in every dress: %s", async (host) => {
    const { tool } = stubTool("get", () => "x", {
      requires: { net: { hosts: ["*"] } },
      effects: () => [netFetch(host)],
    });
    const rules = [
      { permission: "net.fetch", action: "allow" },
      { permission: "net.fetch", pattern: "evil.com", action: "deny" },
    ] as const;
    expect(
      (await (await createSession({ tools: [tool], policy: rules })).call(call("get"))).failure?.code,
    ).toBe("denied");
  });

  test.each([
    "u@evil.com",
    "https://evil.com",
    " evil.com",
    "evil。com",
    "evil.com/?x.example.com",
    "evil.com\\.example.com",
  ])("what is more than a host is refused: %s", async (host) => {
    const { tool } = stubTool("get", () => "x", {
      requires: { net: { hosts: ["*"] } },
      effects: () => [netFetch(host)],
    });
    const session = await createSession({ tools: [tool], policy: [{ permission: "*", action: "allow" }] });
    expect((await session.call(call("get"))).failure?.code).toBe("effects_failed");
  });

  test("the port that sees links is asked before dots are resolved", async () => {
    const asked: string[] = [];
    const resolver = {
      canonicalPath: async (path: string) => {
        asked.push(path);
        return "/outside/pwned";
      },
      parseCommand: async () => ({ plain: false, reason: "" }) as const,
    };
    const { tool } = stubTool("w", () => "x", { ...file, requires: { fs: { write: ["/repo/**"] } } });
    const session = await createSession({
      tools: [tool],
      resolver,
      policy: [{ permission: "*", action: "allow" }],
    });
    expect((await session.call(call("w", { path: "/repo/link/../pwned" }))).failure?.code).toBe(
      "out_of_scope",
    );
    expect(asked).toEqual(["/repo/link/../pwned"]);
  });

  test("a replacement of a standard tool cannot add properties under the name of a note", () => {
    const registry = createRegistry();
    const shaped = (properties: object) =>
      defineTool({ ...stubTool("read").tool, inputSchema: { type: "object", properties } }) as never;
    registry.register(shaped({ path: { type: "string" } }), {
      origin: { layer: "bundled", source: "bundled" },
      locked: true,
    });
    const richer = shaped({ path: { type: "string" }, title: { type: "string" } });
    expect(registry.register(richer, { origin: { layer: "project", source: "folder" } })).toMatchObject({
      code: "name_locked",
    });
  });

  test("two servers whose tools share an alias share it with no other", () => {
    const registry = createRegistry();
    for (const [serverId, tool] of [
      ["a", "b_c"],
      ["a_b", "c"],
    ] as const) {
      const remote = defineTool({
        ...stubTool(`${serverId}-${tool}`).tool,
        remote: { serverId, tool },
      } as never);
      registry.register(remote as never, {
        origin: { layer: serverId === "a" ? "user" : "project", source: "mcp", id: serverId },
      });
    }
    expect(registry.get("mcp_a_b_c")).toBeUndefined();
    expect(registry.get("mcp:a:b_c")?.name).toBe("a-b_c");
  });
});

describe("schemas and arguments", () => {
  async function ran(inputSchema: object, args: string): Promise<unknown> {
    const stub = stubTool("a", (given) => ({
      ...given,
      admin: (given as { isAdmin?: unknown }).isAdmin ?? "no",
    }));
    const session = await createSession({
      tools: [defineTool({ ...stub.tool, inputSchema } as never) as never],
    });
    const result = await session.call(call("a", args));
    return result.ok ? result.data : result.failure?.code;
  }

  test("a schema cannot switch its own check off", () => {
    expect(checkInputSchema({ $async: true, type: "object" })).toMatchObject([{ path: "/$async" }]);
  });

  test("names that objects inherit are not arguments", async () => {
    expect(await ran({ type: "object", required: ["constructor", "toString"] }, "{}")).toBe(
      "invalid_arguments",
    );
    expect(
      await ran(
        { type: "object", properties: { a: { type: "string" } } },
        '{"a":null,"__proto__":{"isAdmin":true}}',
      ),
    ).toBe("invalid_arguments");
  });

  test("a short schema that would check one value without end is refused", () => {
    const $defs: Record<string, object> = { d0: { type: "string" } };
    for (let n = 1; n <= 40; n += 1)
      $defs[`d${n}`] = { allOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] };
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/d40" } }, $defs };
    expect(checkInputSchema(schema)[0]?.diagnostic).toContain("checked more than");
  });

  test("hostile values cannot hang the check or the redactor", async () => {
    const started = performance.now();
    await ran(
      { type: "object", properties: { u: { type: "string", format: "url" } } },
      JSON.stringify({ u: `http://[${":".repeat(100_000)}` }),
    );
    const items = Array.from({ length: 40_000 }, (_, n) => ({ n }));
    await ran(
      { type: "object", properties: { l: { type: "array", uniqueItems: true } } },
      JSON.stringify({ l: items }),
    );
    createRedactor().redact("eyJhbGciOiJIUzI1NiJ9".repeat(50_000));
    expect(performance.now() - started).toBeLessThan(25_000);
    expect(
      await ran(
        { type: "object", properties: { l: { type: "array", uniqueItems: true } } },
        '{"l":[{"a":1,"b":2},{"b":2,"a":1}]}',
      ),
    ).toBe("invalid_arguments");
  });

  test("arguments too deep to be written down fail alone", async () => {
    let deep: Record<string, unknown> = {};
    for (let n = 0; n < 20_000; n += 1) deep = { deep };
    const session = await createSession({ tools: [stubTool("a").tool] });
    const { results } = await session.run([call("a", deep, "1"), call("a", {}, "2")]);
    expect(results.map((result) => result?.failure?.code ?? "ok")).toEqual(["invalid_arguments", "ok"]);
  });
});

test.each([
  [
    "an object without a message",
    () => {
      throw Object.create(null);
    },
  ],
  [
    "a promise that is none",
    () => ({
      get then() {
        throw new Error("no");
      },
    }),
  ],
  [
    "a promise that throws when it is awaited",
    () => ({
      then() {
        throw new Error("no");
      },
    }),
  ],
])("a tool that fails oddly fails alone: %s", async (_name, execute) => {
  const odd = stubTool("odd", execute as () => unknown);
  const session = await createSession({
    tools: [odd.tool, stubTool("good").tool],
    observers: [{ name: "o", onToolError() {} }],
  });
  const { results } = await session.run([call("odd", {}, "1"), call("good", {}, "2")]);
  expect(results.map((result) => result?.failure?.code ?? "ok")).toEqual(["tool_crashed", "ok"]);
  await session.close();
});

test("a generator is not driven on after its call was stopped", async () => {
  let steps = 0;
  const { tool } = stubTool(
    "endless",
    async function* () {
      for (;;) {
        steps += 1;
        await new Promise((resolve) => setTimeout(resolve, 5));
        yield steps;
      }
    },
    { timeoutMs: 40 },
  );
  const session = await createSession({ tools: [tool], limits: { totalTimeoutMs: 60 } });
  await session.call(call("endless"));
  const then = steps;
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(steps - then).toBeLessThanOrEqual(2);
});
