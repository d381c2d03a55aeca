import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { ToolkeepError } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";

/** A key that raw arguments, answers and messages are encrypted with. */
export interface EncryptionKey {
  /** Names the key in the database. */
  readonly id: string;
  /** 32 random bytes, or their base64: `openssl rand -base64 32`. Keep it outside of the database. */
  readonly secret: Uint8Array | string;
}

/** Something encrypted, and the key it needs. */
export interface Encrypted {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

const NONCE = 12;
const TAG = 16;

/** Encrypts with the first key, and decrypts with any: AES-256-GCM, bound to the name that the value is kept under. */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #current: string;

  /** @throws ToolkeepError `invalid_option` for no key, two with one id, or one that is not 32 bytes long. */
  constructor(keys: readonly EncryptionKey[]) {
    const [first] = keys;
    if (first === undefined)
      throw invalidKeys(
        '`keys` is empty. Give one: `[{ id: "2026", secret: process.env.TOOLKEEP_KEY ?? "" }]`, made with `openssl rand -base64 32`',
      );
    this.#keys = new Map(keys.map((key) => [key.id, bytesOf(key)]));
    if (this.#keys.size !== keys.length) throw invalidKeys("two of `keys` have the same id");
    this.#current = first.id;
  }

  get current(): string {
    return this.#current;
  }

  encrypt(name: string, text: string): Encrypted {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv("aes-256-gcm", this.#keyOf(this.#current, name), nonce);
    cipher.setAAD(boundTo(name));
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return { keyId: this.#current, bytes: Buffer.concat([nonce, cipher.getAuthTag(), body]) };
  }

  /** @throws ToolkeepError `invalid_option` without the key, `journal_broken` when the value was changed. */
  decrypt(name: string, { keyId, bytes }: Encrypted): string {
    const key = this.#keyOf(keyId, name);
    try {
      // A shorter tag would be accepted as the beginning of a whole one.
      if (bytes.length < NONCE + TAG) throw new Error("it is too short");
      const nonce = bytes.subarray(0, NONCE);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG });
      decipher.setAAD(boundTo(name));
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString("utf8");
    } catch (cause) {
      const message = `What is kept as ${JSON.stringify(name)} was changed, or its key ${JSON.stringify(keyId)} is another one now.`;
      throw new ToolkeepError("journal_broken", message, { cause });
    }
  }

  #keyOf(id: string, name: string): Uint8Array {
    const key = this.#keys.get(id);
    if (key !== undefined) return key;
    throw invalidKeys(
      `${JSON.stringify(name)} is encrypted with the key ${JSON.stringify(id)}, which is not among \`keys\`. Add it after the first one until \`rotateKeys()\` was called`,
    );
  }
}

function bytesOf({ id, secret }: EncryptionKey): Uint8Array {
  const bytes = typeof secret === "string" ? Buffer.from(secret, "base64") : secret;
  if (typeof id === "string" && id !== "" && bytes?.length === 32) return bytes;
  throw invalidKeys(
    `the key ${JSON.stringify(id)} has no id, or its secret is not 32 bytes as base64. Make one with \`openssl rand -base64 32\``,
  );
}

function boundTo(name: string): Buffer {
  return Buffer.from(`toolkeep ${name}`);
}

function invalidKeys(why: string): ToolkeepError {
  return invalidOption(`The keys of the store cannot be used: ${why}.`);
}
