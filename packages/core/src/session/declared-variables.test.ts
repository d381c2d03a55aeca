import { describe, expect, test } from "vitest";
import { effects, type RequirementSet } from "../contract/call/effect.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { compilePolicy } from "../policy/compile-policy.ts";
import { parseRule } from "../policy/grammar/parse-rule.ts";
import { expandVariables } from "../policy/rules/expand-variables.ts";
import { createRegistry } from "../registry/registry.ts";
import { createSession } from "./create-session.ts";
import type { SessionOptions } from "./options.ts";

function fetching(requires: RequirementSet) {
  return defineTool({
    name: "fetching",
    description: "Asks a host.",
    inputSchema: { type: "object", properties: { host: { type: "string" } }, required: ["host"] },
    requires,
    effects: ({ host }) => [effects.fetch(host)],
    execute: ({ host }) => `from ${host}`,
  });
}

async function answers(hosts: readonly string[], options: SessionOptions): Promise<readonly string[]> {
  await using session = await createSession(options);
  const results = [];
  for (const host of hosts) results.push(await session.call("fetching", { host }));
  return results.map(({ data, failure }) => String(failure?.code ?? data));
}

const ALLOWED = ["allow net.fetch **"];

describe("[C122] host patterns", () => {
  test("expand the variables that the host application declares, each to all of its values", async () => {
    const tools = [fetching({ net: { hosts: ["api.{region}.example.com", "{tenant}.example.org"] } })];
    const variables = { region: ["eu", "us"], tenant: ["acme.team"] };
    const hosts = ["api.eu.example.com", "API.US.example.com", "acme.team.example.org", "api.x.example.com"];
    expect(await answers(hosts, { tools, variables, policy: ALLOWED })).toEqual([
      ...["from api.eu.example.com", "from API.US.example.com", "from acme.team.example.org"],
      "out_of_scope",
    ]);
  });

  test("expand the same variables as paths, and one without a value covers nothing", async () => {
    const tools = [fetching({ net: { hosts: ["{user-data}", "{tenant}.example.org"] } })];
    const given = { tools, policy: ALLOWED };
    const hosts = ["data.example.com", "x.example.org"];
    expect(
      await answers(hosts, { ...given, variables: { "user-data": ["data.example.com"], tenant: [] } }),
    ).toEqual(["from data.example.com", "out_of_scope"]);
  });

  test("of a ceiling are expanded too", async () => {
    const tools = [fetching({ net: { hosts: ["**"] } })];
    const ceiling = { net: { hosts: ["{region}.example.com"] } };
    const given = { tools, ceiling, policy: ALLOWED, variables: { region: ["eu"] } };
    expect(await answers(["eu.example.com", "us.example.com"], given)).toEqual([
      "from eu.example.com",
      "out_of_scope",
    ]);
  });

  test("of rules are expanded, in any case of letters; a deny without a value denies more, not less", async () => {
    const tools = [fetching({ net: { hosts: ["**"] } })];
    const policy = [...ALLOWED, "deny net.fetch {tenant}.example.org"];
    const hosts = ["acme.example.org", "other.example.org", "example.com"];
    expect(await answers(hosts, { tools, policy, variables: { tenant: ["Acme"] } })).toEqual([
      "denied",
      "from other.example.org",
      "from example.com",
    ]);
    expect(await answers(hosts, { tools, policy, variables: { tenant: [] } })).toEqual([
      "denied",
      "denied",
      "from example.com",
    ]);
  });
});

describe("a path as the value of a variable", () => {
  const compiled = (value: string, pattern: string) => {
    const variables = { secrets: [value] };
    const rules = [`deny fs.read ${pattern}`];
    return compilePolicy({ rules, variables });
  };

  test.for(["/srv/secrets/", "/srv//secrets", "//srv", "C:\\srv\\"])(
    "is refused as %s, which no path is",
    (value) => {
      expect(() => compiled(value, "{secrets}/**")).toThrow("without a slash at its end");
    },
  );

  test("is refused where a name belongs: such a deny would deny nothing", () => {
    expect(() => compiled("/srv/secrets", "/data/{secrets}/**")).toThrow("an empty name");
    expect(() => compiled("secrets", "/data/{secrets}/**")).not.toThrow();
  });

  test("may be the root, whose slash is the one that follows", () => {
    expect(expandVariables("{a}/x", { a: ["/", "/b"] }, Error)).toEqual(["/x", "/b/x"]);
  });
});

describe("[C122] an unknown variable", () => {
  test("throws when a session is made with a tool, a manifest, a ceiling or a rule that uses it", async () => {
    const requires = { net: { hosts: ["{tenat}.example.org"] } };
    const variables = { tenant: ["acme"] };
    const mistakes: readonly SessionOptions[] = [
      { tools: [fetching(requires)] },
      { manifest: { requires } },
      { ceiling: requires },
      { policy: ["allow net.fetch {tenat}.example.org"] },
      { manifest: { rules: [{ action: "deny", permission: "net.fetch", pattern: "{tenat}.example.org" }] } },
    ];
    for (const mistake of mistakes)
      await expect(createSession({ ...mistake, variables })).rejects.toThrow(/tenat/);
  });

  test("is found by a registry that was told the names, whichever variable stands before it", () => {
    const registry = createRegistry({ variables: ["tenant"] });
    const hosts = ["{workspace}.{tenant}.{tenat}"];
    expect(registry.register(fetching({ net: { hosts } }))).toMatchObject({
      code: "invalid_requirement",
      message: "Unknown variable {tenat}.",
    });
    expect(registry.register(fetching({ net: { hosts: ["{tenant}.example.org"] } }))).toBeUndefined();
  });

  test("is found where a rule is written, unless it is declared there", () => {
    const line = "deny net.fetch {tenant}.example.org";
    expect(parseRule(line).diagnostic?.message).toBe("Unknown variable {tenant}.");
    expect(parseRule(line, { variables: ["tenant"] }).diagnostic).toBeUndefined();
  });

  test("is one that a registry declares and its session does not have", async () => {
    const registry = createRegistry({ variables: ["tenant"] });
    await expect(createSession({ registry })).rejects.toThrow("variables: { tenant: [] }");
    await using session = await createSession({ registry, variables: { tenant: [] } });
    expect(session.tools()).toEqual([]);
  });

  test("is every name that only objects have", () => {
    const pattern = "{constructor}.example.org";
    expect(() => compilePolicy({ rules: [{ action: "allow", permission: "net.fetch", pattern }] })).toThrow(
      /unknown variable \{constructor\}/,
    );
  });
});

describe("[C122] a variable's value is literal", () => {
  test.each([
    ...[..."* a* a? {a} a,b evil.example/ evil.example# user@evil a:b . ..".split(" "), "", "a b"],
    ...["-a", "a.", "/data/*", "/data/../etc", "/data/./x", "/a,b", "/a\nb", "data/x", 7, null],
  ])("%j is refused", async (value) => {
    const variables = { tenant: [value as string] };
    await expect(createSession({ variables })).rejects.toThrow("{tenant}");
    expect(() => compilePolicy({ variables })).toThrow("{tenant}");
  });

  test.each(["acme", "eu-west_1", "api.acme.example", "/var/cache", "C:/cache", "/with space/[slug]"])(
    "%j is taken",
    (value) => {
      expect(() => compilePolicy({ variables: { tenant: [value] } })).not.toThrow();
    },
  );

  test("and is not looked at for further variables", () => {
    const variables = { workspace: ["/ws/{tmp}"], tmp: ["/tmp"] };
    expect(expandVariables("{workspace}/{tmp}", variables, Error)).toEqual(["/ws/{tmp}//tmp"]);
  });

  test("and a rule on paths does not take the name of something else for a path", () => {
    const variables = { tenant: ["acme"] };
    const rules = [{ action: "deny", permission: "fs.read", pattern: "{tenant}/x" } as const];
    expect(() => compilePolicy({ rules, variables })).toThrow("its path is absolute");
    expect(() => compilePolicy({ rules, variables: { tenant: ["/acme"] } })).not.toThrow();
  });
});
