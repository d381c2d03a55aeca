import { createHash } from "node:crypto";
import { createSession, defineTool } from "@toolkeep/core";
import { canonicalJson } from "@toolkeep/core/internal";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { describe, expect, test } from "vitest";
import { type BundleParts, bundleLines } from "../../packages/cli/src/audit/evidence/bundle.ts";
import { BundleChanged, readBundle } from "../../packages/cli/src/audit/evidence/read-bundle.ts";
import { newKey, type TestKey } from "../ssh-keys.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const NAMESPACE = "toolkeep-checkpoint";

const work = defineTool({
  name: "work",
  description: "Works.",
  inputSchema: { type: "object" },
  requires: {},
  mode: "read",
  execute: () => "größer",
});

async function storeWith(calls: number): Promise<SqliteStore> {
  const store = openSqliteStore({ path: temporaryFolder(), durability: "normal" });
  const session = await createSession({ id: "s", store, tools: [work], policy: { mode: "yolo" } });
  for (let n = 0; n < calls; n += 1) await session.call({ id: `c${n}`, name: "work", arguments: { n } });
  await session.close();
  return store;
}

async function bundleOf(store: SqliteStore, key: TestKey, keys: BundleParts["keys"] = {}): Promise<Buffer> {
  const sign = async (text: string) => key.sign(NAMESPACE, text);
  const lines = await Array.fromAsync(bundleLines(store, { sessions: ["s"], keys, sign }));
  return Buffer.from(lines.join(""));
}

/** Other bytes, and the hash of them at the end. */
function resealed(text: string): Buffer {
  const lines = text.split("\n").slice(0, -2);
  const before = lines.map((line) => `${line}\n`).join("");
  const sha256 = createHash("sha256").update(before).digest("hex");
  return Buffer.from(`${before}${canonicalJson({ sha256 })}\n`);
}

describe("[platform B2] a bundle", () => {
  test("verifies with the public key alone, and has the events", async () => {
    await using store = await storeWith(2);
    const key = newKey();
    const { sessions, isSigned } = await readBundle(await bundleOf(store, key), key.line);
    expect(isSigned).toBe(true);
    const [session] = sessions;
    expect(session).toMatchObject({ id: "s", seq: session?.events.length, erased: 0 });
    expect(session?.events[0]).toMatchObject({
      type: "session-open",
      eventVersion: 1,
      program: { name: expect.any(String) },
    });
    expect(session?.events.filter(({ type }) => type === "call-end")).toHaveLength(2);
  });

  test("with one flipped byte, anywhere, is found", async () => {
    await using store = await storeWith(1);
    const key = newKey();
    const bundle = await bundleOf(store, key);
    for (let at = 0; at < bundle.length; at += 1) {
      const flipped = Buffer.from(bundle);
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      await expect(readBundle(flipped, key.line), `byte ${at}`).rejects.toBeInstanceOf(BundleChanged);
    }
    for (const cut of [1, 2, 100, bundle.length - 1])
      await expect(readBundle(bundle.subarray(0, -cut), key.line)).rejects.toBeInstanceOf(BundleChanged);
    await expect(readBundle(Buffer.concat([bundle, Buffer.from("\n")]), key.line)).rejects.toBeInstanceOf(
      BundleChanged,
    );
  });

  test("that was made anew around a change is found: by the chain, by the manifest, by the signature", async () => {
    await using store = await storeWith(2);
    const [key, other] = [newKey(), newKey()];
    const text = (await bundleOf(store, key)).toString();
    const withoutLastBatch = text.split("\n").filter((_, index, all) => index !== all.length - 4);
    const cases: readonly (readonly [Buffer, RegExp])[] = [
      [resealed(text.replace("work", "wxrk")), /its bytes were changed/],
      [resealed(withoutLastBatch.join("\n")), /not those of the manifest/],
      [resealed(text.replace('"session":"s"', '"session":"t"')), /record of another session/],
      [resealed(text.replace(/"at":"\d{4}/, '"at":"1999')), /not signed with the key/],
      [await bundleOf(store, other), /not signed with the key/],
      [resealed(text.replace(/,"signature":"[^"]*"/, "")), /not signed with the key/],
    ];
    for (const [bytes, message] of cases) await expect(readBundle(bytes, key.line)).rejects.toThrow(message);
  });

  test("verifies after payloads were erased, and says how many", async () => {
    await using store = await storeWith(2);
    const key = newKey();
    const erased = await store.erase("s", { callId: "c0", by: "ada" });
    const { sessions } = await readBundle(await bundleOf(store, key), key.line);
    expect(sessions[0]?.erased).toBe(erased.length);
  });

  test("has what a person signed who has left since, and nothing that was signed afterwards", async () => {
    const [ada, key] = [newKey(), newKey()];
    const statement = {
      ...{ request: "t1/a1", session: "s", call: "c1", approver: "ada", key: ada.id, verdict: "once" },
    };
    const signed = [{ statement, signature: ada.sign("toolkeep-approval", canonicalJson(statement)) }];
    const answer = { type: "approval-answer", id: "a1", answer: { verdict: "once", by: "ada", signed } };
    const signedAt = Date.parse("2024-05-01T12:00:00Z");
    const bundled = async (...keys: readonly string[]) => {
      await using store = await storeWith(0);
      const journal = store.journal("s");
      journal.append(journal.extent().nextSeq, signedAt, "t1", answer as never);
      await journal.flush();
      journal.close();
      return await bundleOf(store, key, keys.length === 0 ? {} : { ada: keys });
    };
    const [newer] = [newKey()];
    const left = await bundled(newer.line, `valid-before=20240601Z ${ada.line}`);
    expect((await readBundle(left, key.line)).approvals).toMatchObject([
      {
        ...{ approver: "ada", isValid: true, at: "2024-05-01T12:00:00.000Z" },
        validUntil: "2024-06-01T00:00:00.000Z",
      },
    ]);
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [
        [`valid-before=20240501Z ${ada.line}`],
        /it is of 2024-05-01T12.*key of ada was valid until 2024-05-01T00/,
      ],
      [[`valid-after="20240502Z" ${ada.line}`], /key of ada is valid from 2024-05-02/],
      [[newer.line], /no key SHA256:\S+ of ada.*valid-before/],
      [[], /no key SHA256:\S+ of ada.*valid-before/],
    ];
    for (const [keys, message] of refused)
      await expect(readBundle(await bundled(...keys), key.line)).rejects.toThrow(message);
    // With another date, the manifest must be signed anew.
    const moved = left.toString().replace("valid-before=20240601Z", "valid-before=20290601Z");
    await expect(readBundle(resealed(moved), key.line)).rejects.toThrow(/not signed with the key/);
    // Every byte of the manifest, where the dates are, and some of those before.
    const manifest = left.indexOf('{"manifest"');
    for (let at = 0; at < left.length; at += at < manifest ? 29 : 1) {
      const flipped = Buffer.from(left);
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      await expect(readBundle(flipped, key.line), `byte ${at}`).rejects.toBeInstanceOf(BundleChanged);
    }
  });

  test("with an approval that its approver did not sign is found", async () => {
    const [ada, mallory, key] = [newKey(), newKey(), newKey()];
    const bundled = async (signer: TestKey, session = "s") => {
      const store = await storeWith(0);
      const journal = store.journal("s");
      const statement = {
        ...{ request: "t1/a1", session, call: "c1", approver: "ada", key: ada.id, verdict: "once" },
      };
      const signed = [{ statement, signature: signer.sign("toolkeep-approval", canonicalJson(statement)) }];
      const entry = { type: "approval-answer", id: "a1", answer: { verdict: "once", by: "ada", signed } };
      journal.append(journal.extent().nextSeq, 1, "t1", entry as never);
      await journal.flush();
      journal.close();
      const bytes = await bundleOf(store, key, { ada: [ada.line] });
      await store.close();
      return bytes;
    };
    const { approvals } = await readBundle(await bundled(ada), key.line);
    expect(approvals).toMatchObject([{ approver: "ada", isValid: true, verdict: "once" }]);
    const forged = /it is not signed by ada/;
    await expect(readBundle(await bundled(mallory), key.line)).rejects.toThrow(forged);
    await expect(readBundle(await bundled(ada, "other"), key.line)).rejects.toThrow(forged);
  });
});
