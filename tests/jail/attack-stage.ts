import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { JAIL_USER } from "./outer-jail.ts";

export const CANARY = "CANARY-5b1f0c7e92";

/** What the attacks aim at. Only ever set up within the jail. */
export interface AttackStage {
  readonly workspace: string;
  readonly outside: string;
  readonly home: string;
  readonly port: number;
  hits(): number;
  /** Everything as it was, for the next attack. */
  reset(hasRepository: boolean): void;
  /** What no attack may have changed, in words. */
  damage(): readonly string[];
  close(): void;
}

const FOLDER = "/tmp/stage";

export async function setAttackStage(): Promise<AttackStage> {
  const [workspace, outside, home] = [`${FOLDER}/workspace`, `${FOLDER}/outside`, `${FOLDER}/home`];
  let hits = 0;
  const server = createServer((_request, response) => response.end(CANARY));
  server.on("connection", () => {
    hits += 1;
  });
  const abstract = createServer();
  abstract.listen("\0host-abstract");
  abstract.on("connection", () => {
    hits += 1;
  });
  const port = await listening(server);
  const machine = machineState();
  return {
    ...{ workspace, outside, home, port },
    hits: () => hits,
    reset(hasRepository) {
      hits = 0;
      // The kernel closes folders that it uses for layers.
      spawnSync("/bin/chmod", ["-R", "u+rwX", FOLDER], { stdio: "ignore" });
      rmSync(FOLDER, { recursive: true, force: true });
      layOut({ workspace, outside, home, hasRepository });
    },
    damage: () => [
      ...(hits > 0 ? [`a server of ours was reached ${hits} times`] : []),
      ...(sameFiles(outside, OUTSIDE) ? [] : ["what is outside was changed"]),
      ...(sameFiles(join(home, ".ssh"), KEYS) ? [] : ["the home was changed"]),
      ...(existsSync(join(workspace, "a.txt")) ? [] : ["the workspace is gone"]),
      ...(machineState() === machine ? [] : ["the machine was changed"]),
    ],
    close() {
      server.close();
      abstract.close();
    },
  };
}

const OUTSIDE = { "secret.txt": CANARY, "victim.txt": "victim" };
const KEYS = { id_rsa: CANARY };

interface Layout {
  readonly workspace: string;
  readonly outside: string;
  readonly home: string;
  readonly hasRepository: boolean;
}

/** All of it is accessible to the user that commands run as: only the sandbox stops a command. */
function layOut({ workspace, outside, home, hasRepository }: Layout): void {
  for (const folder of [join(workspace, "src"), outside, join(home, ".ssh")])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "a");
  writeFileSync(join(workspace, "package.json"), '{"scripts":{"test":"true"}}');
  for (const [name, text] of Object.entries(OUTSIDE)) writeFileSync(join(outside, name), text);
  for (const [name, text] of Object.entries(KEYS)) writeFileSync(join(home, ".ssh", name), text);
  if (hasRepository) {
    execFileSync("/usr/bin/git", ["init", "-q", workspace], { env: { HOME: "/nowhere" } });
    execFileSync("/usr/bin/git", ["-C", workspace, "config", "core.fsmonitor", `touch ${outside}/PWNED`], {
      env: { HOME: "/nowhere" },
    });
  }
  if (process.getuid?.() === 0) giveAway(FOLDER);
}

function giveAway(folder: string): void {
  chownSync(folder, JAIL_USER, JAIL_USER);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveAway(path);
    else chownSync(path, JAIL_USER, JAIL_USER);
  }
}

function sameFiles(folder: string, files: Readonly<Record<string, string>>): boolean {
  const names = readdirSync(folder).toSorted();
  return (
    names.join() === Object.keys(files).toSorted().join() &&
    names.every((name) => readFileSync(join(folder, name), "utf8") === files[name])
  );
}

const WATCHED = [
  "/proc/sys/kernel/core_pattern",
  "/proc/sys/kernel/hostname",
  "/etc/passwd",
  "/proc/sysvipc/shm",
];

function machineState(): string {
  const root = readdirSync("/").toSorted().join();
  const temporary = readdirSync("/tmp").filter((name) => name !== "stage" && name !== "quarantine");
  return [...WATCHED.map((path) => readFileSync(path, "utf8")), root, temporary.join()].join("\n");
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
