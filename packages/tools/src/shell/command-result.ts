import { type ToolOutput, textContent, toolOutput } from "@toolkeep/core";
import { defined, type Truncation, terminalText } from "@toolkeep/core/internal";
import type { CommandOutcome, KeptOutput } from "@toolkeep/core/ports";

const encoder = new TextEncoder();

/** The data of a command result: `head` instead of `output` if the output was cut. */
interface CommandData {
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly stopped?: string;
  /** What policy hid from the command. */
  readonly note?: string;
  readonly output?: string;
  readonly head?: string;
}

/** Turns the outcome of a command into a result: the exit code is data, and the model reads plain text. */
export function commandResult(outcome: CommandOutcome, keepBytes: number): ToolOutput {
  const kept = outcome.output ?? NOTHING;
  const { size, path } = kept;
  const { shown, keptBytes, isCut } = shownOf(kept, keepBytes);
  const { exitCode, signal, stopped, note } = outcome;
  const data: CommandData = {
    exitCode,
    ...defined({ signal, stopped, note }),
    ...(isCut ? { head: shown } : { output: shown }),
  };
  const truncation: Truncation = {
    by: "tool",
    unit: "bytes",
    kept: keptBytes,
    lost: size - keptBytes,
    ...(path === undefined ? {} : { path }),
  };
  return toolOutput({
    data,
    content: [textContent(asRead(shown, outcome))],
    ...(isCut ? { truncation } : {}),
  });
}

const NOTHING: KeptOutput = { head: new Uint8Array(), size: 0 };

interface Shown {
  readonly shown: string;
  /** The number of original bytes that are kept, before escaping. */
  readonly keptBytes: number;
  readonly isCut: boolean;
}

/** Cuts at the end of a line and of a character, after escaping, because escaping makes text longer. */
function shownOf({ head, size }: KeptOutput, keepBytes: number): Shown {
  let kept = head.length < size ? wholeLines(head) : head;
  let shown = terminalText(decode(kept));
  for (let excess = encoder.encode(shown).length; excess > keepBytes && kept.length > 0; ) {
    kept = wholeLines(kept.subarray(0, Math.floor((kept.length * keepBytes) / excess)));
    shown = terminalText(decode(kept));
    excess = encoder.encode(shown).length;
  }
  return { shown, keptBytes: kept.length, isCut: kept.length < size };
}

/** Replaces invalid bytes with a mark; drops a character that was cut at the end. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

const LINE_END = 0x0a;

/** Drops an incomplete last line, unless it is the only one. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(LINE_END);
  return end === -1 ? bytes : bytes.subarray(0, end + 1);
}

function asRead(shown: string, { exitCode, signal, stopped, note }: CommandOutcome): string {
  const notes = [
    ...(exitCode === null || exitCode === 0 ? [] : [`exit code ${exitCode}`]),
    ...(signal === undefined ? [] : [`ended by ${signal}`]),
    ...(stopped === undefined ? [] : [stopped]),
    ...(note === undefined ? [] : [note]),
  ];
  const body = shown === "" ? "(no output)" : shown;
  if (notes.length === 0) return body;
  return `${body}${body.endsWith("\n") ? "" : "\n"}[${notes.join("; ")}]`;
}
