import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { CONFIGURATION, KEYS, newKey, openIssuer, sendJson, type TestIssuer } from "./issuer.test.kit.ts";
import { TokenVerifier } from "./token-verifier.ts";

const MINUTE = 60_000;

let issuer: TestIssuer;
let clock: number;
const now = () => clock;
beforeEach(async () => {
  issuer = await openIssuer();
  clock = Date.now();
});
afterEach(() => issuer.close());

/** Valid for as long as a test moves the clock. */
const lasting = () => issuer.token({ claims: { exp: Math.floor(Date.now() / 1_000) + 4 * 3_600 } });
const down = (path: string) => issuer.answer(path, (res) => res.destroy());

describe("the keys of an issuer", () => {
  test("are found through its configuration, and read once", async () => {
    const verifier = new TokenVerifier(issuer.settings, { now });
    const tokens = await Promise.all(Array.from({ length: 20 }, lasting));
    const all = await Promise.all(tokens.map((token) => verifier.verify(token)));
    expect(all.every((one) => "user" in one)).toBe(true);
    expect(issuer.asked).toEqual([CONFIGURATION, KEYS]);
  });

  test("are read where the administrator says, without asking for the configuration", async () => {
    const settings = { ...issuer.settings, jwksUri: `${issuer.url}${KEYS}` };
    expect(await new TokenVerifier(settings).verify(await issuer.token())).toHaveProperty("user");
    expect(issuer.asked).toEqual([KEYS]);
  });

  test("can be in a file, so that no network is needed", async () => {
    const file = join(temporaryFolder(), "keys.json");
    writeFileSync(file, JSON.stringify({ keys: [issuer.key.publicKey] }), { mode: 0o600 });
    const settings = { ...issuer.settings, jwksUri: pathToFileURL(file).href };
    expect(await new TokenVerifier(settings).verify(await issuer.token())).toHaveProperty("user");
    expect(issuer.asked).toEqual([]);
  });

  test("are read once more for a key that is new, and the old key counts no longer", async () => {
    const verifier = new TokenVerifier(issuer.settings, { now });
    const before = await lasting();
    expect(await verifier.verify(before)).toHaveProperty("user");
    await issuer.rotate();
    clock += MINUTE;
    expect(await verifier.verify(await lasting())).toHaveProperty("user");
    expect(await verifier.verify(before)).toMatchObject({ refused: "invalid" });
  });

  test("are not read for every token with a made-up key", async () => {
    const verifier = new TokenVerifier(issuer.settings, { now });
    await verifier.verify(await lasting());
    clock += MINUTE;
    issuer.asked.length = 0;
    for (let at = 0; at < 50; at += 1) {
      const token = await issuer.token({ key: await newKey(`made-up-${at}`) });
      expect(await verifier.verify(token)).toMatchObject({ refused: "invalid" });
    }
    expect(issuer.asked).toEqual([CONFIGURATION, KEYS]);
    expect(await verifier.verify(await lasting())).toHaveProperty("user");
  });

  test("are kept for an hour while the issuer cannot be reached, and no longer", async () => {
    const verifier = new TokenVerifier(issuer.settings, { now });
    const token = await lasting();
    expect(await verifier.verify(token)).toHaveProperty("user");
    down(CONFIGURATION);
    clock += 59 * MINUTE;
    expect(await verifier.verify(token)).toHaveProperty("user");
    clock += 2 * MINUTE;
    expect(await verifier.verify(token)).toMatchObject({ refused: "unavailable" });
    issuer.answer(CONFIGURATION, undefined);
    clock += MINUTE;
    expect(await verifier.verify(token)).toHaveProperty("user");
  });

  test("that were withdrawn count for ten minutes at most", async () => {
    const verifier = new TokenVerifier(issuer.settings, { now });
    const token = await lasting();
    expect(await verifier.verify(token)).toHaveProperty("user");
    await issuer.rotate();
    clock += 11 * MINUTE;
    expect(await verifier.verify(token)).toMatchObject({ refused: "invalid" });
  });
});

describe("an issuer is not believed", () => {
  async function why(settings: object = {}): Promise<string> {
    const verified = await new TokenVerifier({ ...issuer.settings, ...settings }).verify(
      await issuer.token(),
    );
    expect(verified).toMatchObject({ refused: "unavailable" });
    return "reason" in verified ? verified.reason : "";
  }

  test("that redirects to another place, from either address", async () => {
    const elsewhere = await openIssuer();
    try {
      for (const path of [CONFIGURATION, KEYS]) {
        const to = (res: ServerResponse) => res.writeHead(302, { location: `${elsewhere.url}${path}` }).end();
        issuer.answer(path, to);
        expect(await why()).toContain("redirects");
        issuer.answer(path, undefined);
      }
      expect(elsewhere.asked).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  test("that calls itself by another name", async () => {
    issuer.answer(CONFIGURATION, (res) =>
      sendJson(res, { issuer: `${issuer.url}/`, jwks_uri: `${issuer.url}${KEYS}` }),
    );
    expect(await why()).toContain("another issuer");
  });

  test.each(["http://keys.example.com/", "ftp://127.0.0.1/", "http://u:p@127.0.0.1/", 7, undefined])(
    "whose keys are at %s",
    async (keys) => {
      issuer.answer(CONFIGURATION, (res) => sendJson(res, { issuer: issuer.url, jwks_uri: keys }));
      expect(await why()).toContain("no trusted address");
    },
  );

  test.each<[string, unknown]>([
    ["nothing", {}],
    ["no keys", { keys: [] }],
    ["too many", { keys: Array(101).fill({ kty: "EC" }) }],
    ["a list", [{ keys: [] }]],
    ["a text", "keys"],
  ])("whose set of keys has %s", async (_what, body) => {
    issuer.answer(KEYS, (res) => sendJson(res, body));
    await why();
  });

  test("that answers without an end, or with an error", async () => {
    issuer.answer(KEYS, (res) => res.writeHead(200).end(Buffer.alloc(600 * 1024, " ")));
    expect(await why()).toContain("exceeds");
    issuer.answer(KEYS, (res) => res.writeHead(500).end());
    expect(await why()).toContain("500");
    down(KEYS);
    expect(await why()).toContain("cannot be reached");
  });

  test("that is asked while certificates are not checked", async () => {
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      expect(await why()).toContain("NODE_TLS_REJECT_UNAUTHORIZED");
    } finally {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    }
  });

  test("whose keys are of a kind that everybody knows", async () => {
    issuer.answer(KEYS, (res) =>
      sendJson(res, { keys: [{ kty: "oct", kid: "one", k: "AAAA", alg: "HS256" }] }),
    );
    const verified = await new TokenVerifier(issuer.settings).verify(await issuer.token());
    expect(verified).toMatchObject({ refused: "invalid" });
  });
});
