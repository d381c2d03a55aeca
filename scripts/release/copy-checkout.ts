import { cpSync, globSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { publishedPackages } from "../packages.ts";
import { ROOT } from "../root.ts";
import { mustRun } from "../run-program.ts";

const USER = ["-c", "user.name=release", "-c", "user.email=release@example.com"];

/**
 * Copies the files that git knows or would add to a folder, as a repository of one commit. What is installed is linked,
 * except for our own packages, which are those of the copy. `withBuilt`: also what is built.
 */
export async function copyCheckout(
  copy: string,
  { withBuilt }: { readonly withBuilt: boolean },
): Promise<void> {
  const list = [
    "git",
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
    "--deduplicate",
  ] as const;
  const { stdout } = await mustRun(list);
  for (const path of stdout.split("\0").filter((one) => one !== "")) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path), { force: true, verbatimSymlinks: true });
  }
  if (withBuilt)
    for (const { folder } of publishedPackages())
      cpSync(join(folder, "dist"), join(copy, "packages", basename(folder), "dist"), { recursive: true });
  linkInstalled(copy);
  const git = (...args: string[]) => mustRun(["git", ...USER, ...args], { cwd: copy });
  await git("init", "-q", "-b", "main");
  await git("add", "-A");
  await git("commit", "-q", "-m", "release");
}

function linkInstalled(copy: string): void {
  const own = new Map(publishedPackages().map(({ folder, manifest }) => [manifest.name, basename(folder)]));
  const to = join(copy, "node_modules");
  mkdirSync(join(to, "@toolkeep"), { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (!own.has(name) && name !== "@toolkeep") symlinkSync(join(ROOT, "node_modules", name), join(to, name));
  for (const [name, folder] of own) symlinkSync(join(copy, "packages", folder), join(to, name));
  for (const path of globSync("packages/*/node_modules", { cwd: ROOT }))
    symlinkSync(join(ROOT, path), join(copy, path));
}
