import { Transform, type TransformCallback } from "node:stream";
import { type ClientHello, readClientHello } from "./client-hello.ts";

/** Why a connection is not passed on, as the end of a sentence that begins with the host. */
export class TunnelRefused extends Error {}

/** Whether a hello asks for what the tunnel was opened for. @throws TunnelRefused if it does not. */
export type CheckHello = (hello: ClientHello) => void;

const HANDSHAKE = 22;
/** ChangeCipherSpec, alert, handshake, application data, heartbeat. */
const RECORD_TYPES: ReadonlySet<number> = new Set([20, 21, HANDSHAKE, 23, 24]);
const HEADER = 5;
/** What TLS allows for an encrypted record. */
const LONGEST_RECORD = 16_384 + 2_048;
const CLIENT_HELLO = 1;
const HELLO_HEADER = 4;
const LONGEST_HELLO = 65_536;
/** Its type, its length and its version. */
const RECOGNIZED_BY = 6;
/** The second byte of a hello is the highest of a length that no server takes from here on. */
const HIGHEST_OF_LENGTH = 4;
/** A certificate and a key: what a client sends in the open up to TLS 1.2, and nowhere else. */
const ANSWERS: ReadonlySet<number> = new Set([11, 16]);

/**
 * Passes on what a client sends through a tunnel as long as that is TLS and every ClientHello in it is meant. The first
 * record must begin one; a later one follows where the server asked for another (HelloRetryRequest), and is checked as
 * well. Nothing is passed on before the first is read to its end, in however many records it comes.
 */
export class HelloGuard extends Transform {
  readonly #check: CheckHello;
  #pending: Buffer = Buffer.alloc(0);
  /** What is left of a record that is passed on as it comes. */
  #passing = 0;
  #isOpen = false;
  /** The client answers a server of an older TLS, which takes no further hello in the open. */
  #isAnswering = false;
  /** The ClientHello that is being read, and its records. */
  #hello: Buffer | undefined = Buffer.alloc(0);
  #held: Buffer[] = [];

  constructor(check: CheckHello) {
    super();
    this.#check = check;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
      while (this.#step());
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    // A client that says nothing has asked for nothing.
    const isCut = this.#pending.length > 0 || this.#held.length > 0;
    done(isCut ? new TunnelRefused("was sent a message that breaks off") : null);
  }

  /** Takes the next part, if it is there. */
  #step(): boolean {
    if (this.#passing > 0) return this.#passOn();
    if (this.#pending.length < HEADER) return this.#refuseOther();
    const length = this.#pending.readUInt16BE(3);
    const type = this.#pending.readUInt8(0);
    if (!RECORD_TYPES.has(type) || this.#pending.readUInt8(1) !== 3 || length > LONGEST_RECORD)
      throw new TunnelRefused("may be reached through a tunnel with TLS alone");
    if (type === HANDSHAKE) return this.#takeHandshake(HEADER + length);
    if (this.#hello !== undefined)
      throw new TunnelRefused("was sent something else before the host was named");
    this.#passing = HEADER + length;
    return true;
  }

  /** What is no TLS shows with its first byte. */
  #refuseOther(): false {
    const [type = HANDSHAKE] = this.#pending;
    if (!RECORD_TYPES.has(type)) throw new TunnelRefused("may be reached through a tunnel with TLS alone");
    return false;
  }

  #passOn(): boolean {
    const part = this.#pending.subarray(0, this.#passing);
    if (part.length === 0) return false;
    this.#pending = this.#pending.subarray(part.length);
    this.#passing -= part.length;
    this.push(part);
    return true;
  }

  #takeHandshake(size: number): boolean {
    if (this.#pending.length < size) return false;
    const record = this.#pending.subarray(0, size);
    const content = record.subarray(HEADER);
    this.#pending = this.#pending.subarray(size);
    if (this.#hello === undefined && !this.#beginsHello(content)) this.push(record);
    else this.#collect(record, content);
    return true;
  }

  #collect(record: Buffer, content: Buffer): void {
    if (content.length === 0) throw new TunnelRefused("was sent an empty message");
    const hello = Buffer.concat([this.#hello ?? Buffer.alloc(0), content]);
    this.#held.push(record);
    this.#hello = hello;
    if (hello[0] !== CLIENT_HELLO) throw new TunnelRefused("was sent something else than a ClientHello");
    if (hello.length < HELLO_HEADER) return;
    const size = HELLO_HEADER + hello.readUIntBE(1, 3);
    if (size > LONGEST_HELLO || hello.length > size)
      throw new TunnelRefused("was sent a ClientHello that cannot be read");
    if (hello.length === size) this.#open(hello.subarray(HELLO_HEADER));
  }

  #open(body: Buffer): void {
    const hello = readClientHello(body);
    if (hello === undefined) throw new TunnelRefused("was sent a ClientHello that cannot be read");
    this.#check(hello);
    for (const record of this.#held) this.push(record);
    this.#held = [];
    this.#hello = undefined;
    if (!this.#isOpen) this.emit("open");
    this.#isOpen = true;
  }

  /**
   * Whether a later handshake record is a ClientHello in the open, whatever version it names: servers take versions
   * that do not exist. An encrypted one looks like noise. That it begins like a hello is rare, and possible only where
   * an old session is taken up: the client connects anew then.
   */
  #beginsHello(content: Buffer): boolean {
    if (content.length < RECOGNIZED_BY) throw new TunnelRefused("was sent a handshake in pieces");
    this.#isAnswering ||= ANSWERS.has(content[0] ?? 0);
    return !this.#isAnswering && content[0] === CLIENT_HELLO && (content[1] ?? 0) < HIGHEST_OF_LENGTH;
  }
}
