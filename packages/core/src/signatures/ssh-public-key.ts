import { invalidOption } from "../contract/values/error.ts";
import { WEAK_POINTS } from "./weak-points.ts";
import { fromBase64, MalformedBytes, toBase64, WireReader } from "./wire-reader.ts";

/** The types of keys that can sign. The second is a key on a security key that a person touches. */
const SSH_KEY_TYPES = ["ssh-ed25519", "sk-ssh-ed25519@openssh.com"] as const;

/** A public key as `ssh-keygen` writes it. */
export interface SshPublicKey {
  readonly type: (typeof SSH_KEY_TYPES)[number];
  /** The key as a whole, in the wire format: two keys are the same if these bytes are. */
  readonly blob: Uint8Array<ArrayBuffer>;
  /** The 32 bytes of the Ed25519 key. */
  readonly point: Uint8Array<ArrayBuffer>;
  /** For a security key: what it was made for, e.g. `ssh:`. */
  readonly application?: string;
}

/**
 * Reads a line of a `.pub` file: `ssh-ed25519 AAAA… comment`.
 * @throws ToolkeepError `invalid_option` for any other text, and for a type of key that cannot sign here.
 */
export function parseSshPublicKey(line: string): SshPublicKey {
  const [, type = "", base64 = ""] = /^(\S+) (\S+)(?: [^\r\n]*)?\n?$/.exec(line) ?? [];
  try {
    const key = readSshPublicKey(fromBase64(base64));
    if (key.type !== type) throw new MalformedBytes("it begins with another type than it has");
    return key;
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw invalidOption(
      `${JSON.stringify(line.slice(0, 40))} is not an SSH public key of the type ${SSH_KEY_TYPES.join(" or ")}: ${error.message}.`,
    );
  }
}

/** @throws MalformedBytes */
export function readSshPublicKey(blob: Uint8Array<ArrayBuffer>): SshPublicKey {
  const reader = new WireReader(blob);
  const type = reader.text();
  if (type !== SSH_KEY_TYPES[0] && type !== SSH_KEY_TYPES[1])
    throw new MalformedBytes(`keys of the type ${JSON.stringify(type.slice(0, 40))} are not supported`);
  const point = reader.string();
  if (point.length !== 32) throw new MalformedBytes("its key does not have 32 bytes");
  if (isWeak(point)) throw new MalformedBytes("its key is one for which anybody can sign");
  const application = type === "ssh-ed25519" ? {} : { application: reader.text() };
  reader.end();
  return { type, blob, point, ...application };
}

/** The name of a key, as `ssh-keygen -l` prints it: `SHA256:…`. */
export async function sshKeyId({ blob }: Pick<SshPublicKey, "blob">): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", blob));
  return `SHA256:${toBase64(hash).replace(/=+$/, "")}`;
}

function isWeak(point: Uint8Array): boolean {
  const unsigned = Uint8Array.from(point, (byte, index) => (index === 31 ? byte & 0x7f : byte));
  return WEAK_POINTS.has(Array.from(unsigned, (byte) => byte.toString(16).padStart(2, "0")).join(""));
}
