import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newKey, openIssuer, type TestIssuer, type TokenChange } from "./issuer.test.kit.ts";
import { TokenVerifier } from "./token-verifier.ts";

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await openIssuer();
});
afterAll(() => issuer.close());

const now = () => Math.floor(Date.now() / 1_000);
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

async function refusal(token: string, more: object = {}) {
  const verified = await new TokenVerifier({ ...issuer.settings, ...more }).verify(token);
  if (!("refused" in verified)) throw new Error(`It was accepted: ${JSON.stringify(verified)}`);
  return verified;
}

describe("a valid token", () => {
  test("says who a user is: user, groups, tenant and client, and nothing else", async () => {
    const claims = { email: "ada@example.com", teams: ["b", "a", "b"], org: "acme", role: "admin" };
    const names = { userClaim: "email", groupsClaim: "teams", tenantClaim: "org" };
    const verifier = new TokenVerifier({ ...issuer.settings, ...names });
    const verified = await verifier.verify(await issuer.token({ claims }));
    expect(verified).toEqual({
      ...{ issuer: issuer.url, subject: "u-1", user: "ada@example.com", groups: ["a", "b"], tenant: "acme" },
      ...{ client: "editor", scopes: [], expiresAt: expect.any(Number) },
    });
  });

  test.each<[string, TokenChange]>([
    [
      "for several audiences, ours among them",
      { claims: { aud: ["account", "https://tools.example.com/mcp"] } },
    ],
    ["of the type that older issuers write", { header: { typ: "JWT" } }],
    ["without a type", { header: { typ: undefined as never } }],
    ["that has expired half a minute ago", { claims: { exp: now() - 30 } }],
    ["that is valid from half a minute ahead", { claims: { nbf: now() + 30, iat: now() + 30 } }],
    ["without groups", { claims: { groups: undefined } }],
    ["without a client", { claims: { client_id: undefined } }],
  ])("is accepted: %s", async (_what, change) => {
    expect(await new TokenVerifier(issuer.settings).verify(await issuer.token(change))).toMatchObject({
      user: "u-1",
    });
  });

  test("must permit what is configured; otherwise it is forbidden, not invalid", async () => {
    const token = await issuer.token({ claims: { scope: "read tools" } });
    const verifier = new TokenVerifier({ ...issuer.settings, scopes: ["tools"] });
    expect(await verifier.verify(token)).toMatchObject({ scopes: ["read", "tools"] });
    expect(await refusal(token, { scopes: ["tools", "pay"] })).toMatchObject({
      refused: "forbidden",
      reason: "The token does not permit pay.",
    });
  });
});

describe("a token is refused", () => {
  test.each<[string, TokenChange, RegExp]>([
    ["for another audience", { claims: { aud: "https://other.example.com" } }, /audience/],
    ["for several others", { claims: { aud: ["https://tools.example.com", "a"] } }, /audience/],
    [
      "for an audience in a list in a list",
      { claims: { aud: [["https://tools.example.com/mcp"]] } },
      /audience/,
    ],
    ["for no audience", { claims: { aud: undefined } }, /audience/],
    ["from another issuer with the same key", { claims: { iss: "https://evil.example.com" } }, /issuer/],
    ["from no issuer", { claims: { iss: undefined } }, /issuer/],
    ["about no user", { claims: { sub: undefined } }, /about/],
    ["about an empty name", { claims: { sub: " " } }, /sub/],
    ["about something that is no name", { claims: { sub: 7 } }, /sub/],
    ["about a name of two lines", { claims: { sub: "a\nb" } }, /sub/],
    ["about a name with an invisible character", { claims: { sub: "ad\u200ba" } }, /sub/],
    ["that has expired", { claims: { exp: now() - 120 } }, /expired/],
    ["that never expires", { claims: { exp: undefined } }, /until when/],
    ["that expires in a year", { claims: { exp: now() + 31_536_000 } }, /too long/],
    ["that is valid later", { claims: { nbf: now() + 600 } }, /yet/],
    ["that was issued in the future", { claims: { iat: now() + 600 } }, /future/],
    ["with an expiry that is no number", { claims: { exp: "tomorrow" } }, /./],
    ["of another type", { header: { typ: "logout+jwt" } }, /type/],
    ["of a type that is no text", { header: { typ: null as never } }, /./],
    ["that identifies a user to a client", { claims: { nonce: "n" } }, /access token/],
    ["that is bound to a key", { claims: { cnf: { jkt: "x" } } }, /bound/],
    ["with groups in one text", { claims: { groups: "admin" } }, /groups/],
    ["with a group that is no name", { claims: { groups: ["a", { name: "admin" }] } }, /groups/],
    ["with too many groups", { claims: { groups: Array.from({ length: 501 }, (_, at) => `g${at}`) } }, /500/],
    ["whose groups are kept elsewhere", { claims: { _claim_names: { groups: "src1" } } }, /too many groups/],
  ])("%s", async (_what, change, reason) => {
    expect(await refusal(await issuer.token(change))).toMatchObject({
      refused: "invalid",
      reason: expect.stringMatching(reason),
    });
  });

  test("where a claim that is configured is missing, or an address is not verified", async () => {
    const token = await issuer.token({ claims: { email: "ada@example.com", email_verified: false } });
    expect((await refusal(token, { tenantClaim: "org" })).reason).toContain("org");
    expect((await refusal(token, { userClaim: "email" })).reason).toContain("not verified");
    expect((await refusal(token, { userClaim: "__proto__" })).reason).toContain("__proto__");
  });

  test("with a header that asks for what we do not know", async () => {
    const [, body = "", signature = ""] = (await issuer.token()).split(".");
    const header = { alg: "ES256", kid: "one", typ: "at+jwt" };
    for (const odd of [{ crit: ["exp2"], exp2: 1 }, { crit: ["b64"], b64: false }, { crit: [] }])
      expect((await refusal(`${part({ ...header, ...odd })}.${body}.${signature}`)).refused).toBe("invalid");
  });

  test("without a signature, or with one that everybody can make", async () => {
    const [, body = ""] = (await issuer.token()).split(".");
    const jwk = JSON.stringify(issuer.key.publicKey);
    for (const alg of ["none", "None", "HS256", "HS512", ""]) {
      const signed = `${part({ alg, kid: "one", typ: "at+jwt" })}.${body}`;
      const signature = createHmac("sha256", jwk).update(signed).digest("base64url");
      expect((await refusal(`${signed}.${signature}`)).refused, alg).toBe("invalid");
      expect((await refusal(`${signed}.`)).refused, alg).toBe("invalid");
    }
  });

  test("that brings its own key, or names where it is", async () => {
    const own = await newKey("one");
    for (const header of [
      { jwk: own.publicKey },
      { jku: "http://127.0.0.1:1/keys" },
      { x5u: "http://127.0.0.1:1" },
    ])
      expect((await refusal(await issuer.token({ key: own, header: header as never }))).reason).toMatch(
        /signature/,
      );
  });

  test("with one character changed, anywhere", async () => {
    const token = await issuer.token();
    const verifier = new TokenVerifier(issuer.settings);
    for (let at = 0; at < token.length; at += 7) {
      const other = token[at] === "A" ? "B" : "A";
      // The last characters of a part may have bits that mean nothing.
      if (token[at] === "." || token[at + 1] === "." || at + 1 === token.length) continue;
      const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
      expect(await verifier.verify(changed), String(at)).toHaveProperty("refused");
    }
  });

  test("that is huge, or no token at all, before anything is computed", async () => {
    const before = issuer.asked.length;
    for (const token of [
      "",
      "a",
      "a.b",
      "a.b.c.d.e",
      "ä.b.c",
      "a.b.c ",
      "x".repeat(1_000_000),
      `${"a".repeat(20_000)}.b.c`,
    ])
      expect((await refusal(token)).refused).toBe("invalid");
    expect(issuer.asked.length).toBe(before);
  });

  test("and nothing of it is in the reason", async () => {
    const claims = { sub: "secret-subject", aud: "secret-audience", email: "secret@example.com" };
    const token = await issuer.token({ claims });
    expect(JSON.stringify(await refusal(token))).not.toMatch(/secret|eyJ/);
  });
});
