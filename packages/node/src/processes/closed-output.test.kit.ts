import { mkdirSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { folderSidecar } from "@toolkeep/sqlite/internal";
import { bubblewrapSandbox } from "../sandbox/bubblewrap/bubblewrap.ts";
import { guardedCommands } from "./guarded-commands.ts";
import { startSpawner } from "./spawner.ts";

/** To be run in a jail: lets sandboxed commands close their own output, and reports the results. */
export const CLOSE_OUTPUT = import.meta.filename;

export interface ClosedOutput {
  readonly line: string;
  readonly head?: string;
  readonly followed?: string;
  readonly kept?: string;
  /** What was thrown, where something was. */
  readonly failure?: string;
}

const LINES = [
  "echo before; chmod 000 /dev/stdout; echo after",
  "chmod 000 /dev/stdout; sleep 0.3; head -c 5000 /dev/zero | tr '\\0' x",
];

if (process.argv[1] === CLOSE_OUTPUT) console.log(JSON.stringify(await closeOutputs()));

async function closeOutputs(): Promise<readonly ClosedOutput[]> {
  mkdirSync("/tmp/workspace");
  const spawner = await startSpawner();
  const outcomes: ClosedOutput[] = [];
  for (const line of LINES) outcomes.push(await closeOutput(line, spawner));
  await spawner.close();
  return outcomes;
}

async function closeOutput(
  line: string,
  spawner: Awaited<ReturnType<typeof startSpawner>>,
): Promise<ClosedOutput> {
  const sidecar = folderSidecar({ folder: "/tmp/sidecars", sessionId: "s" });
  const profile = { read: [], write: ["/tmp/workspace"], guarded: [], hidden: [sidecar.folder], hosts: [] };
  const commands = guardedCommands(
    {
      ...{ toolName: "shell", callId: "c1", requires: {}, ceilings: [], effects: [] },
      abortSignal: new AbortController().signal,
      check() {},
      refuse() {
        throw new Error("nothing is refused here");
      },
    },
    {
      spawner,
      sidecar,
      sandbox: bubblewrapSandbox({ protection: { quarantine: "/tmp/quarantine" } }),
      sandboxProfileFor: () =>
        Promise.resolve({ ...profile, cwd: "/tmp/workspace", environment: { PATH: "/usr/bin:/bin" } }),
      parse: () => Promise.resolve({ plain: false, reason: "it expands", commands: [] }),
    },
  );
  let followed = "";
  const onOutput = (chunk: Uint8Array) => {
    followed += Buffer.from(chunk).toString();
  };
  try {
    const { output } = await commands.run({
      ...{ argv: ["/bin/bash", "-c", line] as const, keepBytes: 1_000, onOutput },
    });
    const kept = output?.path === undefined ? undefined : await sidecar.read(output.path);
    return {
      ...{ line, head: textOf(output?.head), followed },
      ...(kept === undefined ? {} : { kept: textOf(kept) }),
    };
  } catch (error) {
    return { line, failure: `${error instanceof ToolFailure ? "" : "not a failure: "}${String(error)}` };
  }
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString();
}
