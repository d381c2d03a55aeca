import { type ChildProcess, spawn } from "node:child_process";
import { ToolkeepError } from "@toolkeep/core";
import type { ComparedSession } from "../evidence/verify-outside.ts";
import type { ReadRequest } from "./serve-records.ts";

/** What the reader says of a store: data of its user, and no more than that. */
export interface Records {
  readonly heads: readonly RecordHead[];
  readonly sessions: readonly { readonly sessionId: string; readonly openedAt: number }[];
  /** What became of the sessions of the last checkpoint. */
  readonly compared: readonly ComparedSession[];
}

export interface RecordHead {
  readonly sessionId: string;
  readonly nextSeq: number;
  readonly head: string;
  readonly activeAt: number;
}

/** How much one user may take. */
const MOST_BYTES = 512_000_000;
const LONGEST_LINE = 64_000_000;
const MOST_SESSIONS = 200_000;
const MOST_HEAP_MB = 512;

/** A process that reads one user's records. What it is not given, it cannot give away: no key, no token, no variable. */
export class UserReader implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #timer: NodeJS.Timeout;
  #isLate = false;

  constructor(program: string, longestMs: number) {
    // The process has its user's id, so the user may signal it: SIGUSR1 would open Node's debugger to them.
    const flags = [`--max-old-space-size=${MOST_HEAP_MB}`, "--disable-sigusr1"];
    const args = [...flags, program, "audit", "read"];
    this.#child = spawn(process.execPath, args, {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8", HOME: "/nonexistent" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child.on("error", () => {});
    this.#child.stdin?.on("error", () => {});
    this.#lines = linesOf(this.#child);
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#child.kill("SIGKILL");
    }, longestMs);
  }

  /** `undefined` for a user without a store. @throws Error for anything that is no answer. */
  async open(request: ReadRequest): Promise<Records | undefined> {
    const answer = await this.#ask(request);
    if (answer["isMissing"] === true) return undefined;
    const { heads, sessions, compared } = answer as unknown as Records;
    const isWhole = isList(heads, isHead) && isList(sessions, isSession) && isList(compared, isCompared);
    if (!isWhole) throw new Error("its reader gave an answer that is no record");
    return { heads, sessions, compared };
  }

  /** The events of a session, as they were written. @throws ToolkeepError `journal_broken` */
  async *export(session: string): AsyncGenerator<string> {
    let answer = await this.#ask({ session });
    for (; answer["isEnd"] !== true; answer = await this.#next()) {
      const { line, broken, code } = answer;
      if (typeof broken === "string")
        throw new ToolkeepError(code === "journal_broken" ? code : "invalid_option", broken);
      if (typeof line !== "string") throw new Error("its reader gave an answer that is no event");
      yield line;
    }
  }

  #ask(request: object): Promise<Readonly<Record<string, unknown>>> {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    return this.#next();
  }

  async #next(): Promise<Readonly<Record<string, unknown>>> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(this.#isLate ? "reading took too long" : "its reader ended early");
    const answer: unknown = JSON.parse(value);
    if (typeof answer !== "object" || answer === null) throw new Error("its reader gave no answer");
    const { failed } = answer as { readonly failed?: unknown };
    if (failed !== undefined) throw new Error(String(failed));
    return answer as Readonly<Record<string, unknown>>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#child.kill("SIGKILL");
  }
}

/** Lines, and not more than the bound. */
async function* linesOf({ stdout }: ChildProcess): AsyncGenerator<string> {
  let rest = "";
  let bytes = 0;
  for await (const chunk of stdout?.setEncoding("utf8") ?? []) {
    bytes += Buffer.byteLength(chunk);
    if (bytes > MOST_BYTES || rest.length > LONGEST_LINE)
      throw new Error(`its records are larger than what is read at once`);
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

function isList(value: unknown, is: (one: Readonly<Record<string, unknown>>) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.length <= MOST_SESSIONS &&
    value.every((one) => typeof one === "object" && one !== null && is(one))
  );
}

const isId = (value: unknown) => typeof value === "string" && value.length <= 500;
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

function isHead({ sessionId, nextSeq, head, activeAt }: Readonly<Record<string, unknown>>): boolean {
  return (
    isId(sessionId) &&
    isCount(nextSeq) &&
    typeof head === "string" &&
    /^[0-9a-f]{0,64}$/.test(head) &&
    isCount(activeAt)
  );
}

function isSession({ sessionId, openedAt }: Readonly<Record<string, unknown>>): boolean {
  return isId(sessionId) && isCount(openedAt);
}

function isCompared({ sessionId, state, diagnostic = "" }: Readonly<Record<string, unknown>>): boolean {
  return (
    isId(sessionId) &&
    ["as it was", "continued", "removed", "changed"].includes(String(state)) &&
    isId(diagnostic)
  );
}
