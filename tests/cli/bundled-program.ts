import { createHash, randomUUID } from "node:crypto";
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundlePackage } from "../../scripts/bundle-package.ts";
import { type Package, publishedPackages } from "../../scripts/packages.ts";
import { ROOT } from "../../scripts/root.ts";

const NAME = `toolkeep-program-${process.getuid?.() ?? "user"}-`;
const UNUSED_MS = 60 * 60 * 1_000;

/**
 * The path of the published form of the program, built from the current sources. It is built once and stays in the
 * temporary directory until it is unused for an hour: loading every source file in each of hundreds of processes
 * would take longer than the tests.
 */
export async function bundledProgram(): Promise<string> {
  const { program, parts } = programPackages();
  const folder = join(tmpdir(), `${NAME}${stampOf([program, ...parts])}`);
  if (!existsSync(folder)) await make(folder, program);
  const { uid, mode } = lstatSync(folder);
  if (uid !== (process.getuid?.() ?? uid) || (mode & 0o022) !== 0)
    throw new Error(`${folder} is writable by other users: remove it.`);
  utimesSync(folder, new Date(), new Date());
  return join(folder, "packages/cli/dist/main.js");
}

/** The package of the program and those of our packages that become part of it. */
function programPackages(): { readonly program: Package; readonly parts: readonly Package[] } {
  const all = publishedPackages();
  const program = all.find(({ manifest }) => manifest.name === "toolkeep");
  if (program === undefined) throw new Error("There is no package `toolkeep`.");
  const { devDependencies = {} } = program.manifest;
  return { program, parts: all.filter(({ manifest }) => manifest.name in devDependencies) };
}

/** Changes with every change of a source file. */
function stampOf(packages: readonly Package[]): string {
  const sources = packages.flatMap(({ folder }) =>
    globSync(["package.json", "src/**/*.{ts,json}"], { cwd: folder }).map((path) => join(folder, path)),
  );
  const hash = createHash("sha256");
  const bundlers = ["bundle-package.ts", "take-builtins.ts"].map((name) => join(ROOT, "scripts", name));
  for (const path of [...sources, ...bundlers, import.meta.filename].toSorted()) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path}\n${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

/** Several processes may build at once; the first one to finish wins. */
async function make(folder: string, { folder: from, manifest }: Package): Promise<void> {
  removeUnused();
  const draft = `${folder}.${randomUUID()}`;
  mkdirSync(draft, { mode: 0o755 });
  try {
    symlinkSync(join(ROOT, "node_modules"), join(draft, "node_modules"));
    const to = join(draft, "packages/cli");
    mkdirSync(to, { recursive: true });
    symlinkSync(join(from, "src"), join(to, "src"));
    // Its own versions of what other packages have in other versions.
    if (existsSync(join(from, "node_modules")))
      symlinkSync(join(from, "node_modules"), join(to, "node_modules"));
    writeFileSync(join(to, "package.json"), JSON.stringify(manifest));
    await bundlePackage({ folder: to, manifest });
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function removeUnused(): void {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(NAME))) {
    const path = join(tmpdir(), name);
    const usedAt = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - usedAt > UNUSED_MS) rmSync(path, { recursive: true, force: true });
  }
}
