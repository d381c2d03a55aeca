import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { mountPlan } from "../mounts/mount-plan.ts";
import { surveyProfile } from "./scan.ts";

let folder: string;
let servers: Server[];

beforeEach(() => {
  folder = temporaryFolder();
  servers = [];
});

afterEach(async () => {
  for (const server of servers) server.close();
});

async function listen(name: string): Promise<string> {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return path;
}

async function covered(read: readonly string[] = []): Promise<readonly string[]> {
  const profile = { read, write: [folder], guarded: [], hidden: [], hosts: [], environment: {}, cwd: folder };
  const mounts = mountPlan(profile, await surveyProfile(profile));
  return mounts.filter(({ as }) => as === "hidden file").map(({ path }) => path.slice(folder.length + 1));
}

const isLinux = process.platform === "linux";

test.skipIf(!isLinux)(
  "a socket that is listened on is covered, wherever it is and whatever its name",
  async () => {
    const names = ["a.sock", ".mcp.json", "node_modules/x/b.sock", "with a blank"];
    for (const name of names) await listen(name);
    expect((await covered()).toSorted()).toEqual(names.toSorted());
  },
);

test.skipIf(!isLinux)("one that the call names is not", async () => {
  const path = await listen("a.sock");
  expect(await covered([path])).toEqual([]);
});

test.skipIf(!isLinux)("one without a listener is not, so that it can be removed", async () => {
  const bind = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", bind, join(folder, "old.sock")]);
  writeFileSync(join(folder, "file.sock"), "");
  expect(await covered()).toEqual([]);
});

test.skipIf(!isLinux)(
  "a server that was bound by a relative path is covered, and not connected to",
  async () => {
    const serve = `
    const server = require("net").createServer(() => { console.log("connected"); process.exit(1); });
    server.listen("dev.sock", () => console.log("up"));`;
    const child = spawn(process.execPath, ["-e", serve], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    await expect.poll(() => said).toBe("up\n");
    expect(await covered()).toEqual(["dev.sock"]);
    expect(said).toBe("up\n");
    child.kill("SIGKILL");
  },
);
