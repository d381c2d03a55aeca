import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A certificate that only its maker trusts, and its key, both as PEM. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

const ED25519 = sequence(Buffer.from("06032b6570", "hex"));
const COMMON_NAME = Buffer.from("0603550403", "hex");
const SUBJECT_ALTERNATIVES = Buffer.from("0603551d11", "hex");

/** Makes a certificate for some host names, valid now. */
export function selfSigned(names: readonly string[]): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const name = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from("toolkeep test")))));
  const alternatives = sequence(...names.map((host) => tagged(0x82, Buffer.from(host))));
  const content = sequence(
    tagged(0xa0, Buffer.from("020102", "hex")),
    tagged(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ED25519,
    name,
    sequence(time(-1), time(1)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(sequence(SUBJECT_ALTERNATIVES, tagged(0x04, alternatives)))),
  );
  const signature = tagged(0x03, Buffer.concat([Buffer.of(0), sign(null, content, privateKey)]));
  return {
    cert: pem(sequence(content, ED25519, signature)),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}

/** So many days from now. */
function time(days: number): Buffer {
  const moment = new Date(Date.now() + days * 86_400_000).toISOString();
  return tagged(0x18, Buffer.from(`${moment.replaceAll(/[-:T]|\..*/g, "")}Z`));
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
