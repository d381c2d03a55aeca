import { rmSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, createSession } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { compilePolicy, policyCall, policyContext } from "@toolkeep/core/policy";
import { stubTool } from "@toolkeep/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isPausable } from "../packages/cli/src/project/pause/paused-calls.ts";
import { activePause, setPause } from "../packages/cli/src/project/pause/pauses.ts";
import { headlessGrants } from "../packages/cli/src/run/gateway/headless-grants.ts";
import { mandated, type Place, place } from "./managed/place.ts";
import { BLOCKING, INERT, USER, WAYS } from "./managed/ways.ts";

let at: Place;
beforeEach(() => {
  at = place();
});
afterEach(() => at.remove());

const user = (value: unknown) => at.put(USER, value);
const usersPolicy = (text: string) => at.put("home/.config/toolkeep/policy.yaml", text);
const managed = (value: object) => at.put("etc/config.jsonc", { policy: "policy.yaml", ...value });

test("what is mandated, without anybody who loosens it", async () => {
  const asked = { push: "ask", payment: "ask", open: "ask" };
  expect(await mandated(at)).toEqual({ ...asked, kubectl: "deny", secret: "deny" });
});

describe("what an administrator mandates is not loosened by", () => {
  test.each(Object.entries(WAYS))("%s", async (way, loosen) => {
    const { open, ...decided } = await mandated(at, await loosen(at));
    if (BLOCKING.some((one) => one.test(way)))
      return expect(new Set([open, ...Object.values(decided)])).toEqual(new Set(["blocked"]));
    // What is not mandated shows that the way is one.
    expect(open).toBe(INERT.some((one) => one.test(way)) ? "ask" : "allow");
    const asked = expect.stringMatching(/^(?:ask|deny)$/);
    expect(decided).toEqual({ push: asked, payment: asked, kubectl: "deny", secret: "deny" });
  });

  test("24 --allow of the gateway", async () => {
    const { policy } = await at.read();
    const grants = headlessGrants(["payments_refund", "mcp:payments:refund", "mcp:payments:*"]);
    const remote = { serverId: "payments", tool: "refund" };
    const call = policyCall({ tool: "payments_refund", source: "mcp", remote, effects: [] });
    const allowing = compilePolicy({ ...policy, rules: [...policy.rules, ...grants] });
    expect((await allowing.decide(call, policyContext())).action).toBe("ask");
  });

  test.each(["always", "rules", "once"] as const)(
    "24b the answer %s: the next call asks again",
    async (verdict) => {
      // Without `final`, the answer would be remembered.
      at.put("etc/policy.yaml", 'version: 1\nrules:\n  - final ask package.install "*"\n');
      const { policy, root } = await at.read();
      const asked: string[] = [];
      const registry = createRegistry();
      registry.register(installing());
      const session = await createSession({
        ...{ registry, policy, project: root, variables: { workspace: [root] } },
        approver: async ({ callId, mayRemember }) => {
          asked.push(`${callId} ${mayRemember}`);
          if (verdict !== "rules") return { verdict };
          return { verdict, rules: [{ permission: "package.install", action: "allow" }] };
        },
      });
      for (const id of ["one", "two"]) await session.call({ id, name: "install", arguments: {} });
      await session.close();
      expect(asked).toEqual(["one false", "two false"]);
    },
  );

  test("25 a pause: there is none on a machine with an administrator, and none covers a final ask", async () => {
    const project = await at.read();
    const now = Date.now();
    await setPause(project.root, { since: now, until: now + 60_000, by: "ada" });
    expect(await activePause(project)).toBeUndefined();
    const decision = { action: "ask", neverRemember: true, askedBy: ["rules"] } as const;
    expect(isPausable({ decision, effects: [] })).toBe(false);
  });
});

describe("modes", () => {
  test("in observe, an administrator's denies and final rules hold, and nothing else", async () => {
    at.put(
      "etc/policy.yaml",
      'version: 1\nrules:\n  - deny shell.run "kubectl *"\n  - final ask shell.run "helm *"\n  - ask shell.run "make *"\n',
    );
    usersPolicy(
      'version: 1\nmode: observe\nextends: [toolkeep:recommended]\nrules:\n  - deny shell.run "date *"\n  - final deny shell.run "uname *"\n  - final ask shell.run "whoami *"\n',
    );
    const lines = ["kubectl get pods", "helm ls", "make all", "date", "uname -a", "whoami", "rm -rf /"];
    const decided = await Promise.all(lines.map(async (line) => [line, await at.decide(line)]));
    expect(Object.fromEntries(decided)).toEqual({
      ...{ "kubectl get pods": "deny", "helm ls": "ask" },
      ...{ "make all": "allow", date: "allow", "uname -a": "allow", whoami: "allow", "rm -rf /": "allow" },
    });
  });

  test("the administrator's policy sets one, and the user's configuration does not override it", async () => {
    at.put("etc/policy.yaml", 'version: 1\nmode: ask\nrules:\n  - allow fs.read "**"\n');
    user({ mode: "yolo" });
    expect(await at.decide("curl https://example.com")).toBe("ask");
  });

  test("users choose among those that the administrator lists, and another one is an error", async () => {
    managed({ modes: ["ask", "observe"] });
    user({ mode: "observe" });
    expect((await at.read()).policy.mode).toBe("observe");
    user({ mode: "yolo" });
    await expect(at.read()).rejects.toThrow(/does not allow the mode yolo/);
    managed({ modes: ["allowlist"] });
    rmSync(join(at.home, ".config"), { recursive: true });
    expect((await at.read()).policy.mode).toBe("allowlist");
  });

  test("what the administrator leaves open, users may allow", async () => {
    expect(await at.decide("make deploy")).toBe("ask");
    usersPolicy('version: 1\nrules:\n  - allow shell.run "make deploy"\n');
    expect(await at.decide("make deploy")).toBe("allow");
  });
});

test("watchdogs: a user may be stricter than the administrator, and not milder", async () => {
  at.put("etc/policy.yaml", "version: 1\nwatchdogs: { secrets: ask, loop: 5, overreach: deny }\nrules: []\n");
  usersPolicy("version: 1\nwatchdogs: { secrets: deny, loop: 3, overreach: off, exfiltration: off }\n");
  expect((await at.read()).policy.builtIn).toEqual({
    ...{ secrets: "deny", loop: 3, overreach: "deny", exfiltration: "off" },
  });
});

function installing() {
  return stubTool("install", () => "installed", {
    requires: { capabilities: ["package.install"] },
    effects: () => [effect("package.install", "left-pad")],
  }).tool;
}
