/**
 * Measures what an install of our packages weighs, and compares it with the goals.
 * `npm run weight [-- --json] [--quick]`: `--json` prints only the result, `--quick` measures the last build.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { packPackage } from "./check-tarball.ts";
import { type Package, publishedPackages } from "./packages.ts";
import { ROOT } from "./root.ts";
import { runNpm } from "./run-program.ts";

/** As `du -m` counts. */
const MB = 1024 * 1024;

interface Install {
  readonly name: string;
  /** The packages that the user installs. */
  readonly packages: readonly string[];
  readonly mostPackages?: number;
  readonly mostMegabytes: number;
}

const INSTALLS: readonly Install[] = [
  { name: "program", packages: ["toolkeep"], mostMegabytes: 51 },
  {
    name: "core + ai + sqlite",
    packages: ["@toolkeep/core", "@toolkeep/ai", "@toolkeep/sqlite"],
    mostPackages: 13,
    mostMegabytes: 10,
  },
];

interface Goal {
  readonly name: string;
  readonly value: number;
  readonly goal: number;
  readonly ok: boolean;
}

const isJson = process.argv.includes("--json");
const all = publishedPackages();
if (!process.argv.includes("--quick") || !all.every(isBuilt)) await runNpm(["run", "build"], ROOT);

const folder = mkdtempSync(join(tmpdir(), "toolkeep-weight-"));
try {
  const goals: Goal[] = [];
  const tarballs = new Map<string, string>();
  for (const install of INSTALLS) goals.push(...(await measured(install, tarballs)));
  process.stdout.write(`${JSON.stringify({ name: "install-weight", goals })}\n`);
  if (goals.some(({ ok }) => !ok)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function isBuilt({ folder: path }: Package): boolean {
  return existsSync(join(path, "dist"));
}

async function measured(install: Install, tarballs: Map<string, string>): Promise<readonly Goal[]> {
  const { name, packages, mostPackages, mostMegabytes } = install;
  const paths: string[] = [];
  for (const one of withOwnDependencies(packages)) paths.push(await tarballOf(one, tarballs));
  const project = join(folder, String(INSTALLS.indexOf(install)));
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "weight", private: true }));
  await runNpm(["install", ...paths, "--omit=dev", "--no-audit", "--no-fund", "--prefer-offline"], project);
  const modules = join(project, "node_modules");
  const installed = installedPackages(modules);
  const bytes = bytesIn(modules);
  if (!isJson) report(name, installed, bytes);
  return [
    ...(mostPackages === undefined ? [] : [goal(`${name}: packages`, installed.length, mostPackages)]),
    goal(`${name}: MB`, Math.round(bytes / (MB / 10)) / 10, mostMegabytes),
  ];
}

function goal(name: string, value: number, most: number): Goal {
  return { name, value, goal: most, ok: value <= most };
}

/** The packages and those of ours that they depend on: their tarballs take the place of the registry. */
function withOwnDependencies(names: readonly string[]): readonly Package[] {
  const wanted = new Set(names);
  for (const name of wanted) {
    const { dependencies = {} } = packageCalled(name).manifest;
    for (const other of Object.keys(dependencies))
      if (all.some(({ manifest }) => manifest.name === other)) wanted.add(other);
  }
  return [...wanted].map(packageCalled);
}

function packageCalled(name: string): Package {
  const found = all.find(({ manifest }) => manifest.name === name);
  if (found === undefined) throw new Error(`There is no package ${name}.`);
  return found;
}

async function tarballOf(one: Package, tarballs: Map<string, string>): Promise<string> {
  const { name } = one.manifest;
  const packed = tarballs.get(name);
  if (packed !== undefined) return packed;
  const destination = join(folder, "tarballs", basename(one.folder));
  mkdirSync(destination, { recursive: true });
  const tarball = await packPackage(one, destination);
  tarballs.set(name, tarball);
  return tarball;
}

/** The folders of all installed packages. */
function installedPackages(modules: string): readonly string[] {
  const lock = readFileSync(join(modules, ".package-lock.json"), "utf8");
  const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, unknown>> };
  return Object.keys(packages).map((path) => join(modules, "..", path));
}

/** The disk blocks of a folder, as `du` counts them. */
function bytesIn(path: string): number {
  const stats = lstatSync(path);
  const own = stats.blocks === undefined ? stats.size : stats.blocks * 512;
  if (!stats.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), own);
}

function report(name: string, installed: readonly string[], bytes: number): void {
  process.stdout.write(`${name}: ${installed.length} packages, ${(bytes / MB).toFixed(1)} MB\n`);
  const sizes = installed.map((path) => [path.replace(/^.*?node_modules\//, ""), bytesIn(path)] as const);
  for (const [path, size] of sizes.toSorted(([, one], [, other]) => other - one).slice(0, 15))
    process.stdout.write(`  ${(size / MB).toFixed(1).padStart(6)} MB  ${path}\n`);
}
