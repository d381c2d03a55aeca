import type { SessionOptions, ToolCall } from "@toolkeep/core";
import { fsWrite } from "@toolkeep/core/internal";
import { type StubTool, stubTool } from "@toolkeep/core/testing";
import { expect } from "vitest";
import { runTwice } from "../packages/core/src/testing/run-twice.test.kit.ts";

export const ALLOW = [{ permission: "*", action: "allow" }] as const;

/** Waits between retries that a test can afford. */
export const FAST_RETRY = { retry: { unitMs: 2 } };

export function call(name: string, args: ToolCall["arguments"] = {}, id = "c1"): ToolCall {
  return { id, name, arguments: args };
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until something has come about. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error("It did not come about within a minute.");
    await sleep(2);
  }
}

/** One call, for real and again from its journal; both must give the same. */
export async function once(options: SessionOptions, request: ToolCall) {
  const run = await runTwice(options, (session) => session.call(request));
  expect(run.replayed).toEqual(run.outcome);
  return run;
}

/** A tool that writes to the path it is given, and may be run once. */
export function writer(execute: () => unknown = () => "written"): StubTool {
  return stubTool("writer", execute, {
    requires: { fs: { write: ["/repo/**"] } },
    effects: (args) => [fsWrite(String(args["path"]))],
    mode: "safe_write",
    idempotent: false,
  });
}
