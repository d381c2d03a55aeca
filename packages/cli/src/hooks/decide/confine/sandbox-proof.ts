import { mkdir, stat } from "node:fs/promises";
import { release } from "node:os";
import { join } from "node:path";
import type { IsolationLevel, Sandbox } from "@toolkeep/core/ports";
import { bubblewrapSandbox, openSandbox } from "@toolkeep/node";
import { canConfine, directories, findProgram, readOwnedFile, writeOwnedFile } from "@toolkeep/node/internal";
import { VERSION } from "../../../terminal/version.ts";
import { bootId } from "./ticket.ts";

const VALID_MS = 60 * 60_000;
/** A busy machine may fail once. */
const FAILURE_VALID_MS = 20_000;

/** Whether commands of a project can run in a sandbox on this machine. */
export async function worksHere(project: string): Promise<boolean> {
  if (!canConfine(project)) return false;
  const kept = await keptProof();
  if (kept !== undefined) return kept.works;
  return provenSandbox().then(
    async (sandbox) => {
      await sandbox.close?.();
      return true;
    },
    () => false,
  );
}

/**
 * A sandbox that was proven on this machine. The proof is kept for an hour, because a hook and `toolkeep exec` run for
 * each command, and trying to break out takes longer than most commands.
 * @throws ToolkeepError if no sandbox works here.
 */
export async function provenSandbox(): Promise<Sandbox> {
  const kept = await keptProof();
  const known = bubblewrapSandbox();
  if (kept?.works === true && kept.name === known.name && kept.isolation !== undefined)
    return { ...known, isolation: kept.isolation };
  try {
    const sandbox = await openSandbox();
    await keep({ works: true, name: sandbox.name, isolation: sandbox.isolation });
    return sandbox;
  } catch (error) {
    await keep({ works: false });
    throw error;
  }
}

/** Opened when something is run in it, and closed after that: most decisions need none. */
export function sandboxForLooks(): Sandbox {
  return {
    name: "opened for each look",
    isolation: "files-and-network",
    mountsTemporary: true,
    async wrap(argv, profile) {
      const sandbox = await provenSandbox();
      const command = await sandbox.wrap(argv, profile);
      return {
        ...command,
        async done() {
          await command.done?.();
          await sandbox.close?.();
        },
      };
    },
  };
}

/** What was proven, and when, and of which machine. */
interface Proof {
  readonly machine: string;
  readonly at: number;
  readonly works: boolean;
  readonly name?: string;
  readonly isolation?: IsolationLevel;
}

function proofFile(): string {
  return join(directories().state, "sandbox-proof.json");
}

async function keep(proof: Omit<Proof, "machine" | "at">): Promise<void> {
  await mkdir(directories().state, { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ machine: await machineState(), at: Date.now(), ...proof });
  await writeOwnedFile(proofFile(), text).catch(() => undefined);
}

async function keptProof(): Promise<Proof | undefined> {
  const found = await readOwnedFile(proofFile(), { mostBytes: 10_000, owners: "us" });
  try {
    const kept = JSON.parse(found?.text ?? "") as Proof;
    const validMs = kept.works ? VALID_MS : FAILURE_VALID_MS;
    const isCurrent = Math.abs(Date.now() - kept.at) < validMs && kept.machine === (await machineState());
    return isCurrent ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** What the sandbox is made of. What was proven counts only while this stays the same. */
async function machineState(): Promise<string> {
  const programs = await Promise.all(["bwrap", "prlimit"].map((name) => findProgram(name)));
  const stamps = programs.map(async (path) => {
    const found = path === undefined ? undefined : await stat(path);
    return found === undefined ? "missing" : `${path} ${found.ino} ${found.mtimeMs} ${found.size}`;
  });
  const user = `${process.getuid?.()}`;
  return [VERSION, release(), bootId(), user, ...(await Promise.all(stamps))].join("\n");
}
