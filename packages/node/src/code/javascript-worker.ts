import { parentPort, workerData } from "node:worker_threads";
import type { CodeError, CodeOutcome } from "@toolkeep/core/ports";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import type { BOUNDS } from "./bounds.ts";

/** What the thread that runs one program is started with: it loads nothing of ours. */
export interface JavaScriptOrder {
  readonly code: string;
  readonly timeoutMs: number;
  readonly bounds: typeof BOUNDS;
  /** What is said of a program whose time is up. */
  readonly tooSlow: CodeError;
}

const FILE = "code.js";
const PAGE_BYTES = 65_536;

/** Node's types leave it out. */
const { Memory } = (globalThis as unknown as { readonly WebAssembly: { readonly Memory: NewMemory } })
  .WebAssembly;
type NewMemory = new (pages: { readonly initial: number; readonly maximum: number }) => object;

/** Runs in the machine of the program, before it. Whatever the program does to it only changes what it says itself. */
const BEFORE = `(print) => {
  const { stringify } = JSON;
  const shown = (value) => {
    if (typeof value === "string") return value;
    try { return stringify(value) ?? String(value); } catch { return String(value); }
  };
  const log = (...values) => print(values.map(shown).join(" "));
  globalThis.console = { log, info: log, warn: log, error: log, debug: log };
  return (part, value) => {
    if (part === "value") return value === undefined ? undefined : typeof value === "string" ? stringify(value) : shown(value);
    const isError = value !== null && typeof value === "object" && "message" in value;
    return part === "stack" ? isError ? value.stack : "" : isError ? value.name + ": " + value.message : shown(value);
  };
}`;

parentPort?.postMessage(await outcomeOf(workerData as JavaScriptOrder));

async function outcomeOf(order: JavaScriptOrder): Promise<CodeOutcome> {
  const { code, timeoutMs, bounds, tooSlow } = order;
  const most = bounds.outputCharacters;
  const context = await newMachine(bounds);
  const { runtime } = context;
  const deadline = performance.now() + timeoutMs;
  const isLate = () => performance.now() >= deadline;
  runtime.setInterruptHandler(isLate);
  let output = "";
  const tell = prepared(context, (line) => {
    if (output.length <= most) output += `${line.slice(0, most)}\n`;
  });
  try {
    const result = context.evalCode(code, FILE);
    while (runtime.hasPendingJob() && !isLate()) runtime.executePendingJobs(1);
    // The error of a program that has no memory left is told as well.
    runtime.setMemoryLimit(2 * bounds.javascriptBytes);
    const end = isLate() ? {} : endOf(context, result, tell);
    return { output, ...(isLate() ? { error: tooSlow } : end) };
  } catch (error) {
    return { output, error: { message: `It broke the machine that it ran in (${String(error)}).` } };
  }
}

/** The memory has an end of its own: not everything that a program takes counts towards the limit of QuickJS. */
async function newMachine({ javascriptBytes, stackBytes }: typeof BOUNDS): Promise<QuickJSContext> {
  const { default: loaded } = await import("@jitl/quickjs-ng-wasmfile-release-sync");
  // Its types are those of its CommonJS module.
  const variant = newVariant(loaded as unknown as QuickJSSyncVariant, {
    wasmMemory: new Memory({ initial: 256, maximum: (2 * javascriptBytes) / PAGE_BYTES }),
  });
  const runtime = (await newQuickJSWASMModuleFromVariant(variant)).newRuntime();
  runtime.setMemoryLimit(javascriptBytes);
  runtime.setMaxStackSize(stackBytes);
  return runtime.newContext();
}

/** A part of a value or an error, as text; `undefined` if it has none, or if reading it fails. */
type Tell = (part: "value" | "message" | "stack", of: QuickJSHandle) => string | undefined;

/** Prepares the machine. The program can call nothing outside of it but `print`, with a text. */
function prepared(context: QuickJSContext, print: (line: string) => void): Tell {
  const textOf = (handle: QuickJSHandle) =>
    context.typeof(handle) === "string" ? context.getString(handle) : undefined;
  const printing = context.newFunction("print", (line) => print(textOf(line) ?? ""));
  const before = context.unwrapResult(context.evalCode(BEFORE));
  const tell = context.unwrapResult(context.callFunction(before, context.undefined, printing));
  return (part, of) => {
    const told = context.callFunction(tell, context.undefined, context.newString(part), of);
    return told.error === undefined ? textOf(told.value) : undefined;
  };
}

function endOf(
  context: QuickJSContext,
  result: ReturnType<QuickJSContext["evalCode"]>,
  tell: Tell,
): Pick<CodeOutcome, "value" | "error"> {
  if (result.error !== undefined) return { error: errorOf(result.error, tell) };
  const state = context.getPromiseState(result.value);
  if (state.type === "pending") return { error: { message: "The promise of its value is never settled." } };
  if (state.type === "rejected") return { error: errorOf(state.error, tell) };
  const value = tell("value", state.value);
  return value === undefined ? {} : { value };
}

function errorOf(handle: QuickJSHandle, tell: Tell): CodeError {
  const message = tell("message", handle) ?? "It failed with an error that cannot be shown.";
  const line = new RegExp(`${FILE}:(\\d{1,9})`).exec(tell("stack", handle) ?? "")?.[1];
  return line === undefined ? { message } : { message, line: Number(line) };
}
