import { addressBytes } from "./packets.ts";

/** What a program asks its name server. */
interface Question {
  readonly name: string;
  readonly type: number;
  /** Where the question ends. */
  readonly end: number;
}

const A = 1;
const AAAA = 28;
const PTR = 12;
const NAME_ERROR = 3;
const SERVER_FAILURE = 2;
const HEADER = 12;

/**
 * The answer to a query; `undefined` for what is none. `addressesOf` gives no addresses for a name that there are none
 * for any more.
 */
export async function dnsAnswer(
  query: Buffer,
  addressesOf: (name: string) => Promise<{ four: string; six: string | undefined } | undefined>,
): Promise<Buffer | undefined> {
  const question = readQuestion(query);
  if (question === undefined) return undefined;
  const { name, type } = question;
  if (type === PTR || !/^[\w.-]{1,253}$/.test(name)) return answerTo(query, question, NAME_ERROR);
  if (type !== A && type !== AAAA) return answerTo(query, question, 0);
  const isLoopback = /(?:^|\.)localhost$/.test(name);
  const found = isLoopback ? { four: "127.0.0.1", six: "::1" } : await addressesOf(name);
  if (found === undefined) return answerTo(query, question, SERVER_FAILURE);
  return answerTo(query, question, 0, type === A ? found.four : found.six);
}

function readQuestion(query: Buffer): Question | undefined {
  if (query.length < HEADER + 5 || query.length > 1_024 || ((query[2] ?? 0) & 0x80) !== 0) return undefined;
  const labels: string[] = [];
  let at = HEADER;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    if (length > 63 || at + length + 5 >= query.length) return undefined;
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join(".").toLowerCase();
  return { name, type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(query: Buffer, { type, end }: Question, code: number, address?: string): Buffer {
  const header = Buffer.alloc(HEADER);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(address === undefined ? 0 : 1, 6);
  const parts = [header, query.subarray(HEADER, end)];
  if (address !== undefined) {
    const bytes = addressBytes(address);
    const record = Buffer.alloc(12);
    // The name of the question, the type, the class of the internet, how long it holds, and how long it is.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(bytes.length, 10);
    parts.push(record, bytes);
  }
  return Buffer.concat(parts);
}
