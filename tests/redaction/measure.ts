import { createRedactor } from "../../packages/core/src/redaction/redactor.ts";
import { type BenignText, benignTexts } from "./benign-texts.ts";
import { redactAsBefore } from "./former-shapes.ts";
import { type SecretText, secretTexts } from "./places.ts";

const redactor = createRedactor();

/** Whether nothing of the secret is left, as plain text and, where the text is JSON, within its strings. */
function isCaught({ text, parts, isJson }: SecretText): boolean {
  const shown = [redactor.redact(text), ...(isJson ? [redactor.redactJson(text)] : [])];
  return shown.every((one) => parts.every((part) => !one.includes(part)));
}

export interface Caught {
  readonly all: number;
  /** Texts of which something is left. */
  readonly missed: readonly SecretText[];
  /** How many the former shapes catch. */
  readonly before: number;
}

/** Every kind of secret in every place, this many times. */
export function measureCaught(rounds: number): Caught {
  const missed: SecretText[] = [];
  let [all, before] = [0, 0];
  for (const secret of secretTexts(rounds)) {
    all += 1;
    if (!isCaught(secret)) missed.push(secret);
    const shown = redactAsBefore(secret.text);
    if (secret.parts.every((part) => !shown.includes(part))) before += 1;
  }
  return { all, missed, before };
}

interface FalseAlarm extends BenignText {
  /** What was taken for a secret. */
  readonly found: readonly string[];
}

export interface Alarms {
  readonly all: number;
  readonly alarms: readonly FalseAlarm[];
}

/** Texts without secrets in which one is found. */
export function measureAlarms(count: number): Alarms {
  const alarms: FalseAlarm[] = [];
  let all = 0;
  for (const benign of benignTexts(count)) {
    all += 1;
    const spans = redactor.find(benign.text);
    const found = spans.map(({ start, end, mark }) => `${mark} ${benign.text.slice(start - 40, end + 10)}`);
    if (spans.length > 0) alarms.push({ ...benign, found });
  }
  return { all, alarms };
}

const LENGTH = 4_096;
const UNITS = {
  prose:
    "A governed call is validated, resolved to effects, checked and recorded. What no rule matches asks a person; the token of a request is not shown.\n",
  code: 'export function resultOf(call: CheckedCall, at = 0): Result {\n  const found = this.#calls.get(call.id) ?? none;\n  if (found.state !== "done") return pending(found, { at, from_cache: true });\n  return found.result; // see the parser of line ends\n}\n\nfunction tokenOf(password: string): string {\n  return hash(password);\n}\n',
  JSON: '{"id":12,"name":"request-7","state":"done","next_page":null,"values":[1,2,3],"ok":true,"took":12.5,"labels":["a","b"],"parent":{"id":3,"kind":"turn"}},{"token":"identifier"},',
} as const;

/** Microseconds to look through 4 KB. */
export interface LookTime {
  /** Of all rounds: what the machine does for others at the time can only add to it. */
  readonly least: number;
  readonly median: number;
}

/** To look through 4 KB without a secret, by the kind of text; one of each kind in every round. */
export function measureTime(rounds: number): Readonly<Record<keyof typeof UNITS, LookTime>> {
  const kinds = Object.entries(UNITS).map(([name, unit]) => {
    const text = unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
    return { name, text: Buffer.from(text, "latin1").toString("latin1"), times: [] as number[] };
  });
  for (let round = 0; round < rounds; round += 1)
    for (const { text, times } of kinds) times.push(timeOf(() => redactor.find(text)));
  const entries = kinds.map(({ name, times }) => {
    const sorted = times.toSorted((a, b) => a - b);
    return [name, { least: sorted[0], median: sorted[rounds >> 1] }];
  });
  return Object.fromEntries(entries);
}

const REPEATED = 500;

function timeOf(act: () => unknown): number {
  const start = performance.now();
  for (let run = 0; run < REPEATED; run += 1) act();
  return ((performance.now() - start) * 1_000) / REPEATED;
}
