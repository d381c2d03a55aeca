import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "./root.ts";
import { runNpm, runProgram } from "./run-program.ts";

/** The versions of TypeScript under which our declarations must work. */
const COMPILERS = ["5.9.3", "7.0.2"];

/** What is tried, and in which folder that does not exist yet. */
export interface ConsumerTrial {
  readonly tarballs: readonly string[];
  /** Paths of examples, relative to the top folder. */
  readonly examples: readonly string[];
  /** Packages that examples start instead of importing. */
  readonly programs: readonly string[];
  readonly folder: string;
}

const COMPILER_OPTIONS = {
  target: "esnext",
  module: "nodenext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: false,
};

/** Type-checks and runs examples in an empty project that has only our tarballs and what they import. */
export async function consumerErrors(trial: ConsumerTrial): Promise<readonly string[]> {
  const { folder, tarballs, examples, programs } = trial;
  emptyProject(folder);
  const code = examples.map((path) => readFileSync(join(ROOT, path), "utf8"));
  const compilers = COMPILERS.map((version) => `${compilerName(version)}@npm:typescript@${version}`);
  const peers = versionsOf(new Set(["@types/node", ...code.flatMap(importedPackages), ...programs]));
  await install(folder, [...tarballs, ...compilers, ...peers]);
  for (const path of examples) copyFileSync(join(ROOT, path), join(folder, basename(path)));
  const files = examples.map((path) => basename(path));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
  const errors: string[] = [];
  for (const version of COMPILERS) errors.push(...(await typeErrors(folder, version)));
  for (const file of files) errors.push(...(await runErrors(folder, file)));
  return errors;
}

/** Installs packages into an empty project and runs a module there. */
export async function moduleErrors(
  packages: readonly string[],
  module: string,
  folder: string,
): Promise<readonly string[]> {
  emptyProject(folder);
  await install(folder, packages);
  const end = await runProgram([process.execPath, "--input-type=module", "--eval", module], { cwd: folder });
  return end.code === 0 ? [] : [`${packages.join(", ")}: ${module}\n${end.stderr}`];
}

async function typeErrors(folder: string, version: string): Promise<readonly string[]> {
  const compiler = join(folder, "node_modules", compilerName(version), "bin/tsc");
  const { stdout } = await runProgram([process.execPath, compiler, "-p", "."], { cwd: folder });
  // Not every declaration of other packages passes such strict options. Ours must, and so must the examples.
  const ours = stdout
    .split("\n")
    .filter((line) => /^(?!node_modules\/(?!@?toolkeep\/))\S+\(\d+,\d+\): /.test(line));
  return ours.map((line) => `TypeScript ${version}: ${line}`);
}

async function runErrors(folder: string, file: string): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runProgram([process.execPath, file], { cwd: folder });
  return code === 0 ? [] : [`${file} from tarballs ended with ${code}\n${stdout}${stderr}`];
}

function compilerName(version: string): string {
  return `typescript-${version.split(".")[0]}`;
}

function emptyProject(folder: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
}

async function install(folder: string, packages: readonly string[]): Promise<void> {
  await runNpm(["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], folder);
}

/** The packages other than ours that a file imports. */
function importedPackages(code: string): string[] {
  return Array.from(code.matchAll(/ from "([^."][^"]*)"/g), ([, name = ""]) => name)
    .filter((name) => !/^(?:node:|@toolkeep\/|toolkeep$)/.test(name))
    .map((name) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
    );
}

/** In the versions that we test with. */
function versionsOf(names: Iterable<string>): string[] {
  const manifest = readFileSync(join(ROOT, "package.json"), "utf8");
  const { devDependencies } = JSON.parse(manifest) as { devDependencies: Record<string, string> };
  return Array.from(names, (name) => `${name}@${devDependencies[name] ?? "latest"}`);
}
