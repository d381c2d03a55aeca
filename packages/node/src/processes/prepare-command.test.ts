import { tmpdir } from "node:os";
import type { Grant, IsolationLevel, Sandbox } from "@toolkeep/core/ports";
import { expect, test } from "vitest";
import type { CommandParts } from "./command-parts.ts";
import { prepareCommand } from "./prepare-command.ts";

const NOTE = "Hidden in the sandbox because of policy: private.";

async function noteWith(isolation: IsolationLevel): Promise<string | undefined> {
  const grant = { abortSignal: new AbortController().signal, check() {} } as unknown as Grant;
  const sandbox: Sandbox = {
    name: "test",
    isolation,
    wrap: (argv, { environment, cwd }) => Promise.resolve({ argv, environment, cwd }),
  };
  const nothing = { read: [], write: [], guarded: [], hidden: [], hosts: [], environment: {} };
  const sandboxProfileFor = () => Promise.resolve({ ...nothing, cwd: tmpdir(), note: NOTE });
  const parts = { sandbox, sandboxProfileFor } as unknown as CommandParts;
  return (await prepareCommand({ argv: ["true"] }, grant, parts)).note;
}

test("what policy masks is said only where the sandbox was proven to hold files", async () => {
  expect(await noteWith("files")).toBe(NOTE);
  expect(await noteWith("files-and-network")).toBe(NOTE);
  expect(await noteWith("none")).toBeUndefined();
});
