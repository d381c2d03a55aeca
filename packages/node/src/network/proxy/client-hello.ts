/** What a client says in the open when it begins TLS. */
export interface ClientHello {
  /** The host that it asks for, in lower case; `undefined` if it names none. */
  readonly serverName: string | undefined;
  /** It may ask for another host in a part that only the server can read. */
  readonly isEncrypted: boolean;
}

const SERVER_NAME = 0x0000;
const HOST_NAME = 0;
/** Encrypted Client Hello (RFC 9849), and the drafts before it that servers still take. */
const ENCRYPTED: ReadonlySet<number> = new Set([0xfe0d, 0xfe0a, 0xfe09, 0xfe08, 0xff02, 0xff03, 0xffce]);
const OLDEST_VERSION = 0x0301;
const NAME = /^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/i;

/** Reads a ClientHello (RFC 8446, 4.1.2); `undefined` unless exactly formed: two readers could see two hosts in it. */
export function readClientHello(body: Buffer): ClientHello | undefined {
  try {
    return readHello(new Fields(body));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

function readHello(hello: Fields): ClientHello {
  if (hello.number(2) < OLDEST_VERSION) throw new Malformed();
  hello.take(32);
  if (hello.vector(1).length > 32) throw new Malformed();
  const suites = hello.vector(2);
  if (suites.length === 0 || suites.length % 2 !== 0 || hello.vector(1).length === 0) throw new Malformed();
  if (hello.isAtEnd) return { serverName: undefined, isEncrypted: false };
  const extensions = new Fields(hello.vector(2));
  hello.end();
  const found = new Map<number, Buffer>();
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    if (found.has(type)) throw new Malformed();
    found.set(type, extensions.vector(2));
  }
  const names = found.get(SERVER_NAME);
  return {
    serverName: names === undefined ? undefined : readServerName(new Fields(names)),
    isEncrypted: [...found.keys()].some((type) => ENCRYPTED.has(type)),
  };
}

/** Exactly one name: which of several a server takes is not said. */
function readServerName(extension: Fields): string {
  const list = new Fields(extension.vector(2));
  extension.end();
  if (list.number(1) !== HOST_NAME) throw new Malformed();
  const name = list.vector(2).toString("latin1");
  list.end();
  if (!NAME.test(name)) throw new Malformed();
  return name.toLowerCase();
}

class Malformed extends Error {}

/** Takes fields from the front of some bytes. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Malformed();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  number(size: number): number {
    return this.take(size).readUIntBE(0, size);
  }

  /** As many bytes as the number before them says. */
  vector(size: number): Buffer {
    return this.take(this.number(size));
  }

  end(): void {
    if (!this.isAtEnd) throw new Malformed();
  }
}
