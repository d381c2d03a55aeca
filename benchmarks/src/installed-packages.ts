import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How many packages an empty project has after installing a workspace's packed tarball, itself included. */
export function countInstalledPackages(workspace: URL): number {
  const project = mkdtempSync(join(tmpdir(), "toolkeep-install-"));
  try {
    const packed = JSON.parse(npm(workspace, "pack", "--json", "--pack-destination", project));
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true }));
    npm(project, "install", "--ignore-scripts", join(project, packed[0].filename));
    const lock = JSON.parse(readFileSync(join(project, "node_modules/.package-lock.json"), "utf8"));
    return Object.keys(lock.packages).length;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

function npm(cwd: string | URL, ...args: readonly string[]): string {
  // Under `npm run` the environment names this repository as the prefix; the empty project must not inherit it.
  const { npm_config_local_prefix: _, ...env } = process.env;
  return execFileSync("npm", [...args, "--no-audit", "--no-fund", "--prefer-offline"], {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}
