import { mkdir, stat } from "node:fs/promises";
import { release } from "node:os";
import { join } from "node:path";
import { openSandbox } from "@toolkeep/node";
import { canConfine, directories, findProgram, readOwnedFile, writeOwnedFile } from "@toolkeep/node/internal";
import { VERSION } from "../../../terminal/version.ts";
import { bootId } from "./ticket.ts";

const VALID_MS = 60 * 60_000;
/** A busy machine may fail once. */
const FAILURE_VALID_MS = 20_000;

/**
 * Whether commands of a project can run in a sandbox on this machine. What was proven is kept for an hour, because a
 * hook runs before every call; `toolkeep exec` proves it again before each command.
 */
export async function worksHere(project: string): Promise<boolean> {
  if (!canConfine(project)) return false;
  const machine = await machineState();
  const path = join(directories().state, "sandbox-proof.json");
  const kept = await keptProof(path);
  const validMs = kept?.works === true ? VALID_MS : FAILURE_VALID_MS;
  if (kept?.machine === machine && Math.abs(Date.now() - kept.at) < validMs) return kept.works;
  const works = await openSandbox().then(
    async (sandbox) => {
      await sandbox.close?.();
      return true;
    },
    () => false,
  );
  await mkdir(directories().state, { recursive: true, mode: 0o700 });
  await writeOwnedFile(path, JSON.stringify({ machine, at: Date.now(), works })).catch(() => undefined);
  return works;
}

interface Proof {
  readonly machine: string;
  readonly at: number;
  readonly works: boolean;
}

async function keptProof(path: string): Promise<Proof | undefined> {
  const found = await readOwnedFile(path, { mostBytes: 10_000, owners: "us" });
  try {
    return JSON.parse(found?.text ?? "") as Proof;
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
