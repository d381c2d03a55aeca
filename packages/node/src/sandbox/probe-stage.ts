import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxUser } from "./sandbox-user.ts";

/** What probes are tried on: a workspace, something outside of it, a listener and a process of our own. */
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
 * Everything outside of the workspace is open to everybody, so that nothing but walls holds a probe back.
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
  const victim = spawn("/bin/sleep", ["60"], { stdio: "ignore", env: {}, cwd: "/", ...user });
  victim.on("error", () => {});
  await chmod(folder, 0o755);
  await layOut({ workspace, outside, canary, user });
  const port = await listen(server);
  return {
    ...{ workspace, outside, canary, port, victim },
    connections: () => taken,
    async strike() {
      victim.kill("SIGKILL");
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Layout {
  readonly workspace: string;
  readonly outside: string;
  readonly canary: string;
  readonly user: SandboxUser | undefined;
}

async function layOut({ workspace, outside, canary, user }: Layout): Promise<void> {
  await mkdir(join(workspace, ".git", "hooks"), { recursive: true });
  await mkdir(outside);
  await chmod(outside, 0o777);
  await writeFile(join(outside, "canary"), canary);
  await chmod(join(outside, "canary"), 0o666);
  await writeFile(join(workspace, ".env"), canary);
  await writeFile(join(workspace, ".git", "config"), "");
  const all = ["", ".env", ".git", ".git/config", ".git/hooks"].map((name) => join(workspace, name));
  if (user !== undefined) for (const path of all) await chown(path, user.uid, user.gid);
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
