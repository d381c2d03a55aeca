import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { fileListErrors } from "./file-list-errors.ts";
import type { Package, PackageManifest } from "./packages.ts";
import { mustRun, runNpm, runProgram } from "./run-program.ts";

/** Packs a package as it would be published and returns the tarball's path. */
export async function packPackage({ folder }: Package, destination: string): Promise<string> {
  await runNpm(["pack", "--silent", "--pack-destination", destination], folder);
  const [tarball] = globSync("*.tgz", { cwd: destination });
  if (!tarball) throw new Error(`npm pack made no tarball of ${folder}`);
  return join(destination, tarball);
}

/** What is wrong with a packed package: its contents, its manifest, its types. */
export async function tarballErrors(tarball: string, { manifest }: Package): Promise<readonly string[]> {
  const errors = [
    ...fileListErrors(manifest, await tarballFiles(tarball)),
    ...registryErrors(manifest),
    ...(await manifestErrors(tarball)),
    ...(await typeErrors(tarball)),
  ];
  return errors.map((error) => `${manifest.name}: ${error}`);
}

/** The files of a tarball, without the folder that npm puts around them. */
export async function tarballFiles(tarball: string): Promise<readonly string[]> {
  const { stdout } = await mustRun(["tar", "-tzf", tarball]);
  return stdout
    .trimEnd()
    .split("\n")
    .map((file) => file.replace(/^package\//, ""));
}

/** What a reader on the registry needs to find us. */
function registryErrors(manifest: PackageManifest): string[] {
  return (["repository", "homepage", "bugs", "keywords"] as const)
    .filter((field) => manifest[field] === undefined)
    .map((field) => `package.json has no ${field}`);
}

async function manifestErrors(tarball: string): Promise<string[]> {
  const { buffer } = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

async function typeErrors(tarball: string): Promise<string[]> {
  const attw = join(
    dirname(fileURLToPath(import.meta.resolve("@arethetypeswrong/cli/package.json"))),
    "dist/index.js",
  );
  const options = ["--profile", "esm-only", "--format", "ascii", "--no-emoji", "--no-color"];
  const end = await runProgram([process.execPath, attw, tarball, ...options]);
  return end.code === 0 ? [] : [`attw finds errors in its types\n${end.stdout}${end.stderr}`];
}
