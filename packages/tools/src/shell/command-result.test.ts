import type { ToolOutput } from "@toolkeep/core";
import { expect, test } from "vitest";
import { commandResult } from "./command-result.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const shownIn = ({ data }: ToolOutput) => data as { readonly head?: string; readonly output?: string };

test("escaping makes a text longer: it is cut after escaping, and the loss is reported", () => {
  const head = new Uint8Array(1_000).fill(0x1b);
  const result = commandResult({ exitCode: 0, output: { head, size: 1_000 } }, 1_000);
  expect(shownIn(result).head).toBe("\\x1b".repeat(250));
  expect(result.truncation).toEqual({ by: "tool", unit: "bytes", kept: 250, lost: 750 });
});

test("a head ends with a complete line, or with a complete character if there is no line", () => {
  const cut = (text: string, kept: number) =>
    shownIn(
      commandResult({ exitCode: 0, output: { head: bytes(text).slice(0, kept), size: 99, path: "/p" } }, 50),
    );
  expect(cut("one\ntwo\nthree", 10).head).toBe("one\ntwo\n");
  expect(cut("\u00e4\u00e4\u00e4", 5).head).toBe("\u00e4\u00e4");
});

test("the end of a command is reported after its output", () => {
  const read = (outcome: Parameters<typeof commandResult>[0]) => commandResult(outcome, 10).content?.[0];
  expect(read({ exitCode: 0 })).toMatchObject({ text: "(no output)" });
  expect(read({ exitCode: 1, output: { head: bytes("x"), size: 1 } })).toMatchObject({
    text: "x\n[exit code 1]",
  });
  expect(read({ exitCode: null, signal: "SIGKILL", stopped: "It was too slow." })).toMatchObject({
    text: "(no output)\n[ended by SIGKILL; It was too slow.]",
  });
  expect(read({ exitCode: 0, note: "Hidden: private." })).toMatchObject({
    text: "(no output)\n[Hidden: private.]",
  });
  expect(commandResult({ exitCode: 0, note: "Hidden: private." }, 10).data).toMatchObject({
    note: "Hidden: private.",
  });
});
