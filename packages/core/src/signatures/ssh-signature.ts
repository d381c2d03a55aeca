import { invalidOption } from "../contract/values/error.ts";
import { parseSshPublicKey, readSshPublicKey, type SshPublicKey } from "./ssh-public-key.ts";
import { fromBase64, isSame, joinBytes, MalformedBytes, WireReader, wireString } from "./wire-reader.ts";

const MAGIC = new TextEncoder().encode("SSHSIG");
const HASHES = { sha256: "SHA-256", sha512: "SHA-512" } as const;
const LONGEST = 4_096;
const USER_PRESENT = 0x01;

const encoder = new TextEncoder();

export interface SshSignatureInput {
  /** A line of a `.pub` file. */
  readonly publicKey: string;
  /** What the signature is for: one that was made for something else is not valid. */
  readonly namespace: string;
  readonly message: string | Uint8Array;
  /** As `ssh-keygen -Y sign` writes it, from `-----BEGIN SSH SIGNATURE-----` on. */
  readonly signature: string;
}

/**
 * Whether the signature was made with this key for this namespace and this message. A signature of a security key
 * counts only if a person touched it.
 * @throws ToolkeepError `invalid_option` for a public key that cannot be read. A signature never makes it throw.
 */
export async function verifySshSignature({
  publicKey,
  namespace,
  message,
  signature,
}: SshSignatureInput): Promise<boolean> {
  const key = parseSshPublicKey(publicKey);
  if (namespace === "") throw invalidOption("A signature needs a namespace.");
  try {
    const parts = readSignature(signature);
    if (!isSame(parts.key.blob, key.blob) || parts.namespace !== namespace) return false;
    return await isValid(parts, typeof message === "string" ? encoder.encode(message) : message);
  } catch (error) {
    if (error instanceof MalformedBytes) return false;
    throw error;
  }
}

interface SignatureParts {
  readonly key: SshPublicKey;
  readonly namespace: string;
  readonly hash: keyof typeof HASHES;
  /** The 64 bytes of the Ed25519 signature. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For a security key: its flags and counter, which are signed too. */
  readonly presence: Uint8Array<ArrayBuffer>;
}

/** @throws MalformedBytes */
function readSignature(armored: string): SignatureParts {
  const reader = new WireReader(fromBase64(unwrapped(armored)));
  if (!isSame(reader.bytes(MAGIC.length), MAGIC)) throw new MalformedBytes("it is no SSH signature");
  if (reader.uint32() !== 1) throw new MalformedBytes("its version is not 1");
  const key = readSshPublicKey(reader.string());
  const namespace = reader.text();
  if (reader.string().length > 0) throw new MalformedBytes("it has a reserved field");
  const hash = reader.text();
  if (hash !== "sha256" && hash !== "sha512") throw new MalformedBytes("its hash is not known");
  const inner = new WireReader(reader.string());
  reader.end();
  if (inner.text() !== key.type) throw new MalformedBytes("it is by another type of key");
  const bytes = inner.string();
  if (bytes.length !== 64) throw new MalformedBytes("it does not have 64 bytes");
  const presence = inner.bytes(key.application === undefined ? 0 : 5);
  inner.end();
  return { key, namespace, hash, bytes, presence };
}

const ARMOR =
  /^-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+/]{1,76}\n)*[A-Za-z0-9+/]{1,76}={0,2})\n-----END SSH SIGNATURE-----\n?$/;

function unwrapped(armored: string): string {
  const [, body] = (armored.length > LONGEST ? null : ARMOR.exec(armored)) ?? [];
  if (body === undefined) throw new MalformedBytes("it is no SSH signature");
  return body.replaceAll("\n", "");
}

async function isValid(
  { key, namespace, hash, bytes, presence }: SignatureParts,
  message: Uint8Array,
): Promise<boolean> {
  const digest = await digestOf(HASHES[hash], message);
  const signed = joinBytes(
    MAGIC,
    wireString(namespace),
    wireString(""),
    wireString(hash),
    wireString(digest),
  );
  if (key.application === undefined) return verify(key, bytes, signed);
  if (((presence[0] ?? 0) & USER_PRESENT) === 0) return false;
  const application = await digestOf("SHA-256", encoder.encode(key.application));
  return verify(key, bytes, joinBytes(application, presence, await digestOf("SHA-256", signed)));
}

async function verify(
  { point }: SshPublicKey,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", point, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, signature, signed);
}

async function digestOf(hash: string, bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest(hash, bytes.slice()));
}
