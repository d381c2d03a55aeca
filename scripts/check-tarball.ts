import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
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
    ...(await contentErrors(tarball)),
    ...registryErrors(manifest),
    ...(await manifestErrors(tarball)),
    ...(await typeErrors(tarball)),
  ];
  return errors.map((error) => `${manifest.name}: ${error}`);
}

async function contentErrors(tarball: string): Promise<string[]> {
  const { stdout } = await mustRun(["tar", "-tzf", tarball]);
  const files = stdout.trimEnd().split("\n");
  return [
    ...["LICENSE", "README.md"]
      .filter((name) => !files.includes(`package/${name}`))
      .map((name) => `${name} is missing`),
    ...files.filter((name) => /\.test\.|tsbuildinfo/.test(name)).map((name) => `${name} should not be there`),
  ];
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
