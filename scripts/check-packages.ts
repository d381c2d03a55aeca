import { mkdirSync, mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPackage, tarballErrors } from "./check-tarball.ts";
import { publishedPackages } from "./packages.ts";
import { readBlock } from "./readme-blocks.ts";
import { ROOT } from "./root.ts";
import { type ConsumerExample, consumerErrors, countInstalled } from "./try-consumer.ts";

const CONSUMED = "@toolkeep/core";
const EXAMPLE = "examples/01-minimal.ts";
const COMPILERS = ["5.9.3", "7.0.2"];
const MOST_INSTALLED = 10;

using temporary = mkdtempDisposableSync(join(tmpdir(), "packages-"));
const errors: string[] = [];

for (const [index, workspacePackage] of publishedPackages().entries()) {
  const { name } = workspacePackage.manifest;
  const destination = join(temporary.path, `${index}`);
  mkdirSync(destination);
  say(`${name}: pack, publint, attw`);
  const tarball = await packPackage(workspacePackage, destination);
  errors.push(...(await tarballErrors(tarball, workspacePackage)));
  if (name === CONSUMED) errors.push(...(await tryOutside(tarball)));
}

for (const error of errors) console.error(error);
console.log(errors.length === 0 ? "packages are fit to publish" : `${errors.length} faults in packages`);
process.exitCode = errors.length === 0 ? 0 : 1;

async function tryOutside(tarball: string): Promise<string[]> {
  const installed = await countInstalled(tarball, join(temporary.path, "alone"));
  say(`${CONSUMED}: ${installed} packages installed, at most ${MOST_INSTALLED} wanted`);
  const found = installed > MOST_INSTALLED ? [`${CONSUMED} installs ${installed} packages`] : [];
  for (const typescript of COMPILERS) {
    say(`${CONSUMED}: the README's first example under TypeScript ${typescript}`);
    const folder = join(temporary.path, `typescript-${typescript}`);
    found.push(...(await consumerErrors({ tarball, example: firstExample(), typescript, folder })));
  }
  return found;
}

function firstExample(): ConsumerExample {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const code = readBlock(readme, EXAMPLE);
  const output = readBlock(readme, `output of ${EXAMPLE}`);
  if (code === undefined || output === undefined)
    throw new Error(`README.md does not show ${EXAMPLE} and its output`);
  return { code, output };
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
