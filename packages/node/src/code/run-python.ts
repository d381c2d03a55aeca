import { randomUUID } from "node:crypto";
import { ToolFailure } from "@toolkeep/core";
import { isRecord, isWithin } from "@toolkeep/core/internal";
import type { CodeOutcome, CodeProgram, CommandOutcome, Grant, SandboxProfile } from "@toolkeep/core/ports";
import type { CommandParts } from "../processes/command-parts.ts";
import { runCommand } from "../processes/run-command.ts";
import { findProgram, installationAdvice, installCommand } from "../sandbox/host/installation.ts";
import { BOUNDS } from "./bounds.ts";
import { PYTHON_HOST } from "./python-host.ts";

/** Isolated from the user's settings and packages. */
const HOST_ARGS = ["-I", "-B", "-c", PYTHON_HOST];

/** What Python runs with. */
export interface PythonParts extends CommandParts {
  /** Folders that a program never sees, wherever they are. */
  readonly unseen: readonly string[];
}

/**
 * Runs Python in the sandbox, without network and environment. Of the machine it reads the programs of the system; it
 * writes to a folder in memory that ends with it.
 * @throws ToolFailure `unavailable` if no sandbox gives it that, or if there is no Python.
 */
export async function runPython(
  { code, timeoutMs }: Pick<CodeProgram, "code" | "timeoutMs">,
  grant: Grant,
  parts: PythonParts,
): Promise<CodeOutcome> {
  await refuseWithoutSandbox(parts.sandbox);
  const python = await findProgram("python3");
  if (python === undefined)
    throw new ToolFailure("unavailable", "Python is not installed.", {
      hint: `Install it: ${await installCommand(["python3"])}.`,
    });
  const mark = randomUUID();
  const limits = { DATA: BOUNDS.pythonBytes, NPROC: BOUNDS.processes, FSIZE: BOUNDS.fileBytes, CORE: 0 };
  const bounds = JSON.stringify({ limits, figures: BOUNDS.figures, figureBytes: BOUNDS.figureBytes });
  const outcome = await runCommand(
    { argv: [python, ...HOST_ARGS, mark, bounds], stdin: code, timeoutMs, keepBytes: BOUNDS.writtenBytes },
    // What was decided about is the code. The command that runs it is ours.
    { ...grant, check: () => {} },
    {
      ...parts,
      limits: { ...parts.limits, outputBytes: BOUNDS.writtenBytes },
      sandboxProfileFor: async () => profileWithout(parts.unseen),
    },
  );
  return reported(outcome, mark);
}

async function refuseWithoutSandbox({ isolation, mountsTemporary }: CommandParts["sandbox"]): Promise<void> {
  if (isolation === "files-and-network" && mountsTemporary === true) return;
  throw new ToolFailure(
    "unavailable",
    "Python runs in a sandbox alone, and this session has none that keeps files and network from it.",
    { hint: `${await installationAdvice()} Or give the code in JavaScript, which needs no sandbox.` },
  );
}

const SYSTEM = "/usr";

function profileWithout(unseen: readonly string[]): SandboxProfile {
  return {
    read: [SYSTEM],
    write: [],
    guarded: [],
    hidden: unseen.filter((path) => isWithin(path, SYSTEM)),
    hosts: [],
    // Libraries that start programs if they find them by name have none to start.
    environment: { PATH: "/nonexistent", HOME: "/home/toolkeep", LANG: "C.UTF-8" },
    cwd: SYSTEM,
  };
}

function reported({ output, exitCode, signal, stopped }: CommandOutcome, mark: string): CodeOutcome {
  const written = Buffer.from(output?.head ?? []).toString();
  const end = written.lastIndexOf(mark);
  if (end !== -1 && stopped === undefined)
    return { output: written.slice(0, end), ...readReport(written.slice(end + mark.length)) };
  const message = stopped ?? `It was ended by ${signal ?? `exit code ${exitCode}`}, without a result.`;
  return { output: end === -1 ? written : written.slice(0, end), error: { message } };
}

/** Written by a process that the program controls. */
function readReport(text: string): Omit<CodeOutcome, "output"> {
  const { value, error, figures } = parsed(text);
  const { message, line } = isRecord(error) ? error : {};
  const at = Number.isSafeInteger(line) ? { line: Number(line) } : {};
  return {
    ...(typeof value === "string" ? { value } : {}),
    ...(typeof message === "string" ? { error: { message, ...at } } : {}),
    figures: Array.isArray(figures) ? figures.filter((one) => typeof one === "string") : [],
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return { error: { message: "What it returned cannot be read." } };
  }
}
