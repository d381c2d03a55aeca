import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { armored, newKey, type SignatureParts } from "../../../../tests/ssh-keys.ts";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { parseSshPublicKey, sshKeyId } from "./ssh-public-key.ts";
import { verifySshSignature } from "./ssh-signature.ts";

const NAMESPACE = "toolkeep-test";
const MESSAGE = '{"verdict":"once"}';

const isValid = (publicKey: string, signature: string, message = MESSAGE) =>
  verifySshSignature({ publicKey, namespace: NAMESPACE, message, signature });

describe("a signature", () => {
  test.each(["sha512", "sha256"])(
    "with %s is valid for its key, namespace and message alone",
    async (hash) => {
      const [key, other] = [newKey(), newKey()];
      const signature = key.sign(NAMESPACE, MESSAGE, { hash });
      expect(await isValid(key.line, signature)).toBe(true);
      expect(await isValid(other.line, signature)).toBe(false);
      expect(await isValid(key.line, signature, `${MESSAGE} `)).toBe(false);
      expect(await isValid(key.line, key.sign("git", MESSAGE, { hash }))).toBe(false);
    },
  );

  test.each<[string, SignatureParts]>([
    ["another beginning", { magic: "SSHSIH" }],
    ["version 0", { version: 0 }],
    ["version 2", { version: 2 }],
    ["a namespace that was not signed", { namespace: "git" }],
    ["a reserved field", { reserved: "x" }],
    ["another hash", { hash: "sha384" }],
    ["another type in the signature", { type: "ssh-rsa" }],
    ["the type of a security key", { type: "sk-ssh-ed25519@openssh.com" }],
    ["bytes after its end", { trailing: "\0" }],
    ["another key than it was made with", { shown: newKey().blob }],
  ])("with %s is not valid", async (_, parts) => {
    const key = newKey();
    expect(await isValid(key.line, key.sign(NAMESPACE, MESSAGE, parts))).toBe(false);
  });

  test("is not valid with any byte changed, removed or added", async () => {
    const key = newKey();
    const signature = key.sign(NAMESPACE, MESSAGE);
    const bytes = Buffer.from(signature.split("\n").slice(1, -2).join(""), "base64");
    for (let at = 0; at < bytes.length; at += 1) {
      const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
      for (const bit of [0x01, 0x80])
        expect(
          await isValid(
            key.line,
            armored(Buffer.concat([before, Buffer.from([(bytes[at] ?? 0) ^ bit]), after])),
          ),
          `byte ${at}, bit ${bit}`,
        ).toBe(false);
      expect(await isValid(key.line, armored(Buffer.concat([before, after]))), `cut ${at}`).toBe(false);
      expect(await isValid(key.line, armored(bytes.subarray(0, at))), `end ${at}`).toBe(false);
      expect(
        await isValid(key.line, armored(Buffer.concat([before, Buffer.from([0]), bytes.subarray(at)]))),
      ).toBe(false);
    }
    for (let at = 0; at < signature.length; at += 1) {
      const changed = `${signature.slice(0, at)}${signature[at] === "A" ? "B" : "A"}${signature.slice(at + 1)}`;
      expect(await isValid(key.line, changed), `character ${at}`).toBe(false);
    }
  });

  test("has one spelling of its base64, and nothing around it", async () => {
    const key = newKey();
    const signature = key.sign(NAMESPACE, MESSAGE);
    for (const text of [
      ` ${signature}`,
      `x\n${signature}`,
      `${signature}\n`,
      signature.replaceAll("\n", "\r\n"),
      signature.replace("-----END", "=\n-----END"),
      "",
      "A".repeat(100_000),
      signature.replace("SIGNATURE-----\n", `SIGNATURE-----\n${"A\n".repeat(100_000)}`),
    ])
      expect(await isValid(key.line, text), JSON.stringify(text.slice(0, 60))).toBe(false);
    expect(await isValid(key.line, signature.trimEnd())).toBe(true);
  });

  test("of a security key needs the touch of a person", async () => {
    const key = newKey({ application: "ssh:" });
    expect(await isValid(key.line, key.sign(NAMESPACE, MESSAGE))).toBe(true);
    expect(await isValid(key.line, key.sign(NAMESPACE, MESSAGE, { flags: 5 }))).toBe(true);
    expect(await isValid(key.line, key.sign(NAMESPACE, MESSAGE, { flags: 0 }))).toBe(false);
    expect(await isValid(key.line, key.sign(NAMESPACE, MESSAGE, { flags: 4 }))).toBe(false);
    expect(await isValid(newKey({ application: "ssh:" }).line, key.sign(NAMESPACE, MESSAGE))).toBe(false);
  });
});

describe("a public key", () => {
  test("has the name that ssh-keygen prints, with any comment", async () => {
    const key = newKey({ comment: "ada@example.com laptop" });
    expect(await sshKeyId(parseSshPublicKey(key.line))).toBe(key.id);
    expect(await sshKeyId(parseSshPublicKey(key.line.split(" ").slice(0, 2).join(" ")))).toBe(key.id);
  });

  const { line } = newKey();
  const [, base64 = ""] = line.split(" ");
  const withPoint = (point: Buffer) => {
    const blob = Buffer.concat([Buffer.from(base64, "base64").subarray(0, 19), point]);
    return `ssh-ed25519 ${blob.toString("base64")}`;
  };

  test.each([
    ["no text", ""],
    ["no type", base64],
    ["another type in front", `ssh-rsa ${base64}`],
    ["an option in front", `cert-authority ${line}`],
    ["two lines", `${line}\n${line}`],
    ["text that is not base64", `ssh-ed25519 ${base64.slice(0, -1)}*`],
    [
      "bytes after its end",
      `ssh-ed25519 ${Buffer.concat([Buffer.from(base64, "base64"), Buffer.from([0])]).toString("base64")}`,
    ],
    ["the point zero", withPoint(Buffer.alloc(32))],
    ["the neutral point", withPoint(Buffer.from(`01${"00".repeat(31)}`, "hex"))],
    ["the neutral point with its sign bit", withPoint(Buffer.from(`01${"00".repeat(30)}80`, "hex"))],
  ])("with %s is refused", (_, text) => {
    expect(() => parseSshPublicKey(text)).toThrow(/is not an SSH public key/);
  });

  test("of another kind is refused with its type", () => {
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const name = "ssh-rsa";
    const blob = Buffer.concat([
      Buffer.from([0, 0, 0, name.length]),
      Buffer.from(name),
      publicKey.export({ type: "pkcs1", format: "der" }),
    ]);
    expect(() => parseSshPublicKey(`${name} ${blob.toString("base64")}`)).toThrow(
      'keys of the type "ssh-rsa" are not supported',
    );
  });
});

describe.skipIf(!hasSshKeygen())("with the real ssh-keygen", () => {
  test("what it signs is valid here, and what our tests sign is valid there", async () => {
    const folder = temporaryFolder();
    const run = (args: readonly string[], input = "") =>
      execFileSync("ssh-keygen", args, { cwd: folder, input, stdio: "pipe" }).toString();
    run(["-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", "key"]);
    const publicKey = readFileSync(join(folder, "key.pub"), "utf8");
    for (const hash of ["sha512", "sha256"]) {
      const signature = run(["-Y", "sign", "-n", NAMESPACE, "-O", `hashalg=${hash}`, "-f", "key"], MESSAGE);
      expect(await isValid(publicKey, signature)).toBe(true);
      expect(await isValid(publicKey, signature, "other")).toBe(false);
    }
    expect(run(["-l", "-f", "key.pub"])).toContain(await sshKeyId(parseSshPublicKey(publicKey)));
    for (const key of [newKey(), newKey({ application: "ssh:" })]) {
      writeFileSync(join(folder, "allowed"), `ada ${key.line}\n`);
      writeFileSync(join(folder, "sig"), key.sign(NAMESPACE, MESSAGE));
      const verify = ["-Y", "verify", "-f", "allowed", "-I", "ada", "-n", NAMESPACE, "-s", "sig"];
      expect(run(verify, MESSAGE)).toContain("Good");
    }
  });
});

function hasSshKeygen(): boolean {
  try {
    execFileSync("ssh-keygen", ["-?"], { stdio: "ignore" });
  } catch (error) {
    return (error as { code?: string }).code !== "ENOENT";
  }
  return true;
}
