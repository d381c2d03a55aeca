import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Where keys are typed. */
export type KeyInput = Readable & {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  setRawMode?(isRaw: boolean): unknown;
};

/** Where a prompt is shown. */
export type ScreenOutput = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** A user who is still typing something else is left alone until there was silence for so long. */
const SILENCE_MS = 300;
/** What a paste or a repeated key consists of comes faster than this. */
const ALONE_MS = 60;

const ESCAPE = "\u001b";
const PASTE = {
  on: "\u001b[?2004h",
  off: "\u001b[?2004l",
  begin: "\u001b[200~",
  end: "\u001b[201~",
} as const;
export const INTERRUPT = "\u0003";
const END_OF_INPUT = "\u0004";

/**
 * The keys of a terminal, one at a time. A key counts only if it is pressed after the prompt was shown and alone: what
 * was typed before, what is pasted, and what is typed in one go answers nothing.
 */
export class Keyboard implements Disposable {
  readonly #input: KeyInput;
  readonly #output: ScreenOutput;
  readonly #decoder = new StringDecoder("utf8");
  readonly #ended = Promise.withResolvers<typeof END_OF_INPUT>();
  readonly #paste = new PasteFilter();
  readonly #wasRaw: boolean;
  #listener: ((typed: Typed) => void) | undefined;

  constructor(input: KeyInput, output: ScreenOutput) {
    this.#input = input;
    this.#output = output;
    this.#wasRaw = input.isRaw === true;
    input.on("data", this.#onData);
    for (const event of ["end", "close", "error"]) input.on(event, this.#onEnd);
    input.setRawMode?.(true);
    input.resume();
    if (hasEscapes()) output.write(PASTE.on);
    if (input.readableEnded || input.destroyed) this.#onEnd();
  }

  [Symbol.dispose](): void {
    const input = this.#input;
    if (hasEscapes()) this.#output.write(PASTE.off);
    input.off("data", this.#onData);
    for (const event of ["end", "close", "error"]) input.off(event, this.#onEnd);
    input.setRawMode?.(this.#wasRaw);
    input.pause();
  }

  /**
   * The first of these keys that counts, or Ctrl-C, which always does; Ctrl-D and the end of the input are Ctrl-C.
   * @throws what the signal is aborted with.
   */
  async key(accepted: readonly string[], signal: AbortSignal): Promise<string> {
    using pressed = new LoneKey([...accepted]);
    this.#listener = pressed.typed;
    try {
      const key = await aborting(Promise.race([pressed.key, this.#ended.promise]), signal);
      return key === END_OF_INPUT ? INTERRUPT : key;
    } finally {
      this.#listener = undefined;
    }
  }

  /**
   * A line of text, which may begin with a text to change; undefined after Ctrl-C, Esc or the end of the input. Line
   * ends that are pasted are spaces.
   * @throws what the signal is aborted with.
   */
  async line(signal: AbortSignal, text = ""): Promise<string | undefined> {
    const done = Promise.withResolvers<string | undefined>();
    const line = new TypedLine((shown) => this.#output.write(shown));
    line.take({ text, isPasted: true });
    this.#listener = (typed) => {
      const state = line.take(typed);
      if (state !== "open") done.resolve(state === "sent" ? line.text : undefined);
    };
    try {
      const ended = this.#ended.promise.then(() => undefined);
      return await aborting(Promise.race([done.promise, ended]), signal);
    } finally {
      this.#listener = undefined;
      this.#output.write("\n");
    }
  }

  readonly #onData = (chunk: Buffer | string) => {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    // What is typed while no key is asked for answers nothing.
    const typed = this.#paste.read(text);
    this.#listener?.(typed);
  };
  readonly #onEnd = () => this.#ended.resolve(END_OF_INPUT);
}

/** Whether the terminal understands control sequences. */
export function hasEscapes(): boolean {
  return process.env["TERM"] !== "dumb";
}

/** What arrived at once. */
interface Typed {
  readonly text: string;
  readonly isPasted: boolean;
}

/** Finds what a terminal marks as pasted, also if its marks arrive in pieces. */
class PasteFilter {
  #isPasting = false;
  #open = "";
  #lastAt = 0;

  read(chunk: string): Typed {
    const now = performance.now();
    // The end of a paste that never came must not lock the keyboard.
    if (now - this.#lastAt > LONGEST_PASTE_MS) this.#isPasting = false;
    this.#lastAt = now;
    const text = this.#open + chunk;
    this.#open = markBegunIn(text);
    let isPasted = this.#isPasting;
    for (const [mark] of text.matchAll(MARKS)) {
      this.#isPasting = mark === PASTE.begin;
      isPasted = true;
    }
    return { text: text.slice(0, text.length - this.#open.length).replaceAll(MARKS, ""), isPasted };
  }
}

const LONGEST_PASTE_MS = 1_000;

const MARKS = new RegExp(String.raw`${ESCAPE}\[20[01]~`, "g");

/** The beginning of a mark at the end of a text. */
function markBegunIn(text: string): string {
  const at = text.lastIndexOf("\u001b");
  const tail = at === -1 ? "" : text.slice(at);
  const isBegun = PASTE.begin.startsWith(tail) || PASTE.end.startsWith(tail);
  return isBegun && tail.length > 1 && tail.length < PASTE.begin.length ? tail : "";
}

/** Waits for a key that is pressed after a silence, and with a silence behind it. */
class LoneKey implements Disposable {
  readonly #accepted: readonly string[];
  readonly #pressed = Promise.withResolvers<string>();
  #isReady = false;
  #lastAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(accepted: readonly string[]) {
    this.#accepted = accepted;
    this.#after(SILENCE_MS, () => {
      this.#isReady = true;
    });
  }

  get key(): Promise<string> {
    return this.#pressed.promise;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** What is typed from now on. */
  readonly typed = ({ text, isPasted }: Typed): void => {
    if (!isPasted && consistsOf(text, [INTERRUPT, END_OF_INPUT])) {
      this.#pressed.resolve(INTERRUPT);
      return;
    }
    const now = performance.now();
    const isAlone = now - this.#lastAt >= ALONE_MS;
    this.#lastAt = now;
    if (!this.#isReady) {
      this.#after(SILENCE_MS, () => {
        this.#isReady = true;
      });
      return;
    }
    this[Symbol.dispose]();
    if (isPasted || !isAlone || !this.#accepted.includes(text)) return;
    this.#after(ALONE_MS, () => this.#pressed.resolve(text));
  };

  /** Later, and after what has arrived until then was read: a busy process reads late. */
  #after(ms: number, act: () => void): void {
    this[Symbol.dispose]();
    const timer = setTimeout(() => {
      setImmediate(() =>
        setImmediate(() => {
          if (this.#timer === timer) act();
        }),
      );
    }, ms);
    this.#timer = timer;
  }
}

/** A key that is held arrives several times at once. */
function consistsOf(text: string, keys: readonly string[]): boolean {
  return text !== "" && [...text].every((char) => keys.includes(char));
}

const LONGEST_LINE = 1_000;
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A line as it is typed. */
class TypedLine {
  readonly #echo: (text: string) => void;
  #chars: readonly string[] = [];

  constructor(echo: (text: string) => void) {
    this.#echo = echo;
  }

  get text(): string {
    return this.#chars.join("").trim();
  }

  take({ text, isPasted }: Typed): "open" | "sent" | "left" {
    if (!isPasted && /^[\r\n]$/.test(text)) return "sent";
    if (!isPasted && ["\u0003", "\u0004", "\u001b"].includes(text)) return "left";
    if (!isPasted && consistsOf(text, ["\u007f", "\b"])) this.#erase(text.length);
    else this.#add(text.replaceAll(/[\r\n\t]+/g, " ").replaceAll(HIDDEN, ""));
    return "open";
  }

  #add(text: string): void {
    const added = [...text].slice(0, LONGEST_LINE - this.#chars.length);
    this.#chars = [...this.#chars, ...added];
    this.#echo(added.join(""));
  }

  #erase(count: number): void {
    const erased = Math.min(count, this.#chars.length);
    this.#chars = this.#chars.slice(0, this.#chars.length - erased);
    this.#echo("\b \b".repeat(erased));
  }
}

/** @throws what the signal is aborted with. */
async function aborting<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([value, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
