import { type ChildProcess, spawn } from "node:child_process";
import { ToolFailure } from "@toolkeep/core";
import { isProgram } from "./entries.ts";
import { ALWAYS_GIVEN } from "./ripgrep-options.ts";

interface RipgrepRun {
  readonly argv: readonly string[];
  readonly abortSignal: AbortSignal;
  /** The ripgrep to run. Default: the one installed with this package, or else the system's. */
  readonly program?: string | undefined;
}

/**
 * The output of ripgrep, as it arrives. It has no environment and is ended when the reader stops.
 * @throws ToolFailure for a pattern it does not understand, and if it cannot be run.
 */
export async function* ripgrep({
  argv,
  abortSignal,
  program,
}: RipgrepRun): AsyncGenerator<Buffer, void, void> {
  const path = program ?? (await findRipgrep());
  abortSignal.throwIfAborted();
  const child = spawn(path, [...ALWAYS_GIVEN, ...argv], {
    cwd: "/",
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => child.kill("SIGKILL");
  abortSignal.addEventListener("abort", end, { once: true });
  const complaint = beginningOf(child);
  const exited = exitOf(child);
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer;
    const code = await exited;
    abortSignal.throwIfAborted();
    const message = complaint();
    if (code === null || (code > 1 && message !== "")) throw misunderstood(message);
  } finally {
    abortSignal.removeEventListener("abort", end);
    end();
  }
}

const LONGEST_COMPLAINT = 1_000;

function beginningOf({ stderr }: ChildProcess): () => string {
  let text = "";
  stderr?.setEncoding("utf8");
  stderr?.on("data", (chunk: string) => {
    text = (text + chunk).slice(0, LONGEST_COMPLAINT);
  });
  // The rest recommends options that cannot be given here.
  return () => (text.split("\n\n")[0] as string).replace(/^rg: /, "").trim();
}

/** The code it ends with; `null` when something killed it. */
function exitOf(child: ChildProcess): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("close", resolve);
  child.once("error", () => reject(missing()));
  // A reader that stops does not wait for it either.
  promise.catch(() => undefined);
  return promise;
}

/** At fixed paths: the folders of `PATH` may be ones that the model writes to. */
const SYSTEM_PLACES = ["/usr/bin/rg", "/usr/local/bin/rg", "/opt/homebrew/bin/rg"];

/** @throws ToolFailure `unavailable` if there is none. */
export async function findRipgrep(): Promise<string> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    if (isProgram(rgPath)) return rgPath;
  } catch {
    // It has no build for this platform.
  }
  const found = SYSTEM_PLACES.find(isProgram);
  if (found === undefined) throw missing();
  return found;
}

function missing(): ToolFailure {
  return new ToolFailure("unavailable", "Files cannot be searched: ripgrep cannot be run here.", {
    hint: "Install `ripgrep`, or name it with `ripgrepPath`.",
  });
}

function misunderstood(message: string): ToolFailure {
  if (message === "")
    return new ToolFailure("tool_failed", "The search was ended by the system.", { transient: true });
  return new ToolFailure("invalid_arguments", `The pattern is not understood: ${message}`, {
    hint: "Look-around and back-references are not supported. A backslash makes the character after it literal.",
  });
}

interface DelimitedOptions {
  /** The byte that ends a part. */
  readonly delimiter: number;
  /** Of a part that has more bytes than this there is the beginning. */
  readonly longest: number;
}

/** Splits chunks at a byte: for each chunk, the parts that it completed. */
export async function* delimited(
  chunks: AsyncIterable<Buffer>,
  { delimiter, longest }: DelimitedOptions,
): AsyncGenerator<readonly Buffer[]> {
  let kept: readonly Buffer[] = [];
  let keptBytes = 0;
  const joined = (more: Buffer) =>
    (kept.length === 0 ? more : Buffer.concat([...kept, more])).subarray(0, longest);
  for await (const chunk of chunks) {
    const parts: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(delimiter); end !== -1; end = chunk.indexOf(delimiter, start)) {
      parts.push(joined(chunk.subarray(start, end)));
      kept = [];
      keptBytes = 0;
      start = end + 1;
    }
    if (start < chunk.length && keptBytes < longest) {
      kept = [...kept, chunk.subarray(start)];
      keptBytes += chunk.length - start;
    }
    yield parts;
  }
  if (keptBytes > 0) yield [joined(Buffer.alloc(0))];
}
