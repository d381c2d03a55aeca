import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openIssuer, type TestIssuer } from "../packages/cli/src/project/identity/issuer.test.kit.ts";
import { type Place, place } from "./managed/place.ts";
import { newKey } from "./ssh-keys.ts";

const POLICY = `version: 1
rules:
  - 'allow shell.run "make *"'
  - 'deny shell.run "make release" if not group release'
`;

let at: Place;
let issuer: TestIssuer;
beforeEach(async () => {
  at = place();
  issuer = await openIssuer();
  at.put("etc/policy.yaml", POLICY);
});
afterEach(async () => {
  await issuer.close();
  at.remove();
});

const managed = (identity: object) => at.put("etc/config.jsonc", { policy: "policy.yaml", identity });
const keep = async (claims: Readonly<Record<string, unknown>>) =>
  at.put("token", await issuer.token({ claims }));
const tokenFile = () => join(at.base, "token");

describe("a token of the program's user, on a machine with an administrator", () => {
  beforeEach(() => {
    managed({ ...issuer.settings, tokenFile: tokenFile() });
  });

  test("decides who makes calls, and the rules about groups follow it", async () => {
    await keep({ sub: "ada", groups: ["release"] });
    expect((await at.read()).principal).toEqual({ user: "ada", groups: ["release"], agent: "editor" });
    expect(await at.decide("make release")).not.toBe("deny");
    await keep({ sub: "bob", groups: ["sales"] });
    expect(await at.decide("make release")).toBe("deny");
  });

  test("is needed: without a valid one no call is decided, and the reason says what to do", async () => {
    await expect(at.decide("make all")).rejects.toThrow(
      "Every call is denied until the file has a valid token",
    );
    await keep({ sub: "ada", aud: "https://other.example.com" });
    await expect(at.decide("make all")).rejects.toThrow(/another audience.*log in again/);
    await keep({ sub: "ada" });
    expect(await at.decide("make all")).not.toBe("deny");
    rmSync(tokenFile());
    await expect(at.decide("make all")).rejects.toThrow("there is none");
  });

  test("there is no pause where people are identified", async () => {
    await keep({ sub: "ada" });
    expect((await at.read()).isManaged).toBe(true);
  });
});

describe("who people are", () => {
  test("is said by the administrator alone: in another file it is an error", async () => {
    at.put("home/.config/toolkeep/config.jsonc", { identity: { issuer: issuer.url, audience: "mine" } });
    await expect(at.read()).rejects.toThrow("Only the administrator can set `identity.issuer`");
  });

  test("must be said whole: half of it decides nothing", async () => {
    managed({ issuer: issuer.url });
    await expect(at.read()).rejects.toThrow("`identity.audience` is missing");
  });

  test("with approvers, says how the same people are named in tokens", async () => {
    const key = newKey().line;
    const both = (users: object, claim = {}) =>
      at.put("etc/config.jsonc", {
        ...{ policy: "policy.yaml", identity: { ...issuer.settings, ...claim } },
        approvers: { "ada@example.com": { keys: [key], groups: ["payments"], ...users } },
      });
    both({});
    await expect(at.read()).rejects.toThrow('which `sub` "ada@example.com" has');
    both({ users: [] });
    await expect(at.read()).rejects.toThrow("could approve their own calls");
    both({ users: ["00u1abc"] });
    await expect(at.read()).resolves.toBeDefined();
    both({}, { userClaim: "email" });
    await expect(at.read()).resolves.toBeDefined();
  });

  test("and a rule about a tenant needs a claim that says it", async () => {
    at.put("etc/policy.yaml", `${POLICY}  - 'deny shell.run "make pay" if tenant acme'\n`);
    managed(issuer.settings);
    await expect(at.read()).rejects.toThrow("no tenant is known");
    managed({ ...issuer.settings, tenantClaim: "org", tokenFile: tokenFile() });
    await keep({ sub: "ada", org: "acme" });
    expect(await at.decide("make pay")).toBe("deny");
    await keep({ sub: "ada", org: "other" });
    expect(await at.decide("make pay")).not.toBe("deny");
  });
});
