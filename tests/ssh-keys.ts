import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** What a signature is made of; a test changes one part to make one that is not valid. */
export interface SignatureParts {
  readonly magic?: string;
  readonly version?: number;
  readonly namespace?: string;
  readonly reserved?: string;
  readonly hash?: string;
  /** The type that the signature itself names. */
  readonly type?: string;
  /** Follows the parts that belong there. */
  readonly trailing?: string;
  /** Flags of a security key. */
  readonly flags?: number;
  /** The key that the signature shows. */
  readonly shown?: Buffer;
}

/** A key for tests, made without `ssh-keygen`. */
export interface TestKey {
  /** As in a `.pub` file. */
  readonly line: string;
  readonly blob: Buffer;
  readonly id: string;
  sign(namespace: string, message: string, parts?: SignatureParts): string;
}

function string(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function hashOf(name: string, bytes: Buffer | string): Buffer {
  return createHash(name).update(bytes).digest();
}

/** The public key as its 32 bytes. */
function pointOf(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" }).subarray(-32);
}

export function newKey({
  comment = "test",
  application,
}: {
  readonly comment?: string;
  readonly application?: string;
} = {}): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const type = application === undefined ? "ssh-ed25519" : "sk-ssh-ed25519@openssh.com";
  const more = application === undefined ? [] : [string(application)];
  const blob = Buffer.concat([string(type), string(pointOf(publicKey)), ...more]);
  return {
    blob,
    line: `${type} ${blob.toString("base64")} ${comment}`,
    id: `SHA256:${hashOf("sha256", blob).toString("base64").replace(/=+$/, "")}`,
    sign(namespace, message, parts = {}) {
      const { hash = "sha512", reserved = "", flags = 1 } = parts;
      const named = parts.namespace ?? namespace;
      const signed = Buffer.concat([
        Buffer.from("SSHSIG"),
        ...[string(namespace), string(reserved), string(hash), string(hashOf(hash, message))],
      ]);
      const counter = Buffer.from([flags, 0, 0, 0, 7]);
      const whole =
        application === undefined
          ? signed
          : Buffer.concat([hashOf("sha256", application), counter, hashOf("sha256", signed)]);
      const version = Buffer.alloc(4);
      version.writeUInt32BE(parts.version ?? 1);
      const inner = Buffer.concat([
        ...[string(parts.type ?? type), string(sign(null, whole, privateKey))],
        ...(application === undefined ? [] : [counter]),
      ]);
      return armored(
        Buffer.concat([
          ...[Buffer.from(parts.magic ?? "SSHSIG"), version, string(parts.shown ?? blob), string(named)],
          ...[string(reserved), string(hash), string(inner), Buffer.from(parts.trailing ?? "")],
        ]),
      );
    },
  };
}

/** As `ssh-keygen` wraps it. */
export function armored(bytes: Buffer): string {
  const body = bytes.toString("base64").replaceAll(/.{1,70}/g, "$&\n");
  return `-----BEGIN SSH SIGNATURE-----\n${body}-----END SSH SIGNATURE-----\n`;
}
