import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { constants, existsSync, mkdirSync } from "node:fs";
import { type FileHandle, mkdtemp, open, realpath } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PinnedFolder, pinFolder } from "../../files/pinned-folder.ts";
import type { SandboxUser } from "../host/sandbox-user.ts";
import { removeTree } from "../mounts/open-up.ts";

/** What probes are tried on: a workspace, something outside of it, a listener and a process outside. */
export interface ProbeStage {
  readonly workspace: string;
  readonly outside: string;
  readonly canary: string;
  readonly port: number;
  readonly victim: ChildProcess;
  /** Connections that the listener took. */
  connections(): number;
  strike(): Promise<void>;
}

/**
 * Everything outside of the workspace is open to all users, so that nothing but the sandbox blocks a probe. The folder
 * around it all is closed to other users until everything is created.
 */
export async function setProbeStage(user: SandboxUser | undefined): Promise<ProbeStage> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "toolkeep-probe-"));
  const [workspace, outside] = [join(folder, "workspace"), join(folder, "outside")];
  const canary = `canary-${randomBytes(12).toString("hex")}`;
  const server = createServer((socket) => socket.destroy());
  let taken = 0;
  server.on("connection", () => {
    taken += 1;
  });
  let victim: ChildProcess | undefined;
  const strike = async () => {
    victim?.kill("SIGKILL");
    await new Promise((resolve) => server.close(resolve));
    await takeDown(folder);
  };
  try {
    victim = spawn("/bin/sleep", ["60"], { stdio: "ignore", env: {}, cwd: "/", ...user });
    victim.on("error", () => {});
    await layOut({ folder, canary, user });
    const port = await listen(server);
    return { ...{ workspace, outside, canary, port, victim }, connections: () => taken, strike };
  } catch (error) {
    await strike();
    throw error;
  }
}

interface Layout {
  readonly folder: string;
  readonly canary: string;
  readonly user: SandboxUser | undefined;
}

/** By handles: others may write to what is open to them, but what they put there gets nothing of ours. */
async function layOut({ folder, canary, user }: Layout): Promise<void> {
  using stage = pinFolder(folder);
  using outside = await madeFolder(stage, "outside", { mode: 0o777 });
  using workspace = await madeFolder(stage, "workspace", { user });
  using repository = await madeFolder(workspace, ".git", { user });
  using _hooks = await madeFolder(repository, "hooks", { user });
  await makeFile(outside, "canary", { text: canary, mode: 0o666 });
  await makeFile(workspace, ".env", { text: canary, user });
  await makeFile(repository, "config", { text: "", user });
  await using opened = await open(stage.at("."), FOLDER);
  await opened.chmod(0o755);
}

/** Closed to other users first. What one of them put there and this process cannot remove stays, and blocks nothing. */
async function takeDown(folder: string): Promise<void> {
  try {
    for (const path of [folder, join(folder, "outside")]) {
      if (!existsSync(path)) continue;
      using held = pinFolder(path);
      await using opened = await open(held.at("."), FOLDER);
      await opened.chmod(0o700);
    }
    removeTree(folder);
  } catch {
    // It is in the folder for temporary files.
  }
}

interface Rights {
  readonly mode?: number;
  readonly user?: SandboxUser | undefined;
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

async function madeFolder(around: PinnedFolder, name: string, rights: Rights): Promise<PinnedFolder> {
  mkdirSync(around.at(name), { mode: 0o700 });
  await using folder = await open(around.at(name), FOLDER);
  await grant(folder, { mode: 0o755, ...rights });
  return pinFolder(join(around.path, name));
}

async function makeFile(
  around: PinnedFolder,
  name: string,
  { text, ...rights }: Rights & { readonly text: string },
): Promise<void> {
  await using file = await open(around.at(name), NEW_FILE, 0o600);
  await file.writeFile(text);
  await grant(file, { mode: 0o644, ...rights });
}

async function grant(thing: FileHandle, { mode, user }: Rights & { readonly mode: number }): Promise<void> {
  await thing.chmod(mode);
  if (user !== undefined) await thing.chown(user.uid, user.gid);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}
