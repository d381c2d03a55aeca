import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differences } from "./readme-blocks.ts";
import { ROOT } from "./root.ts";
import { runNpm, runProgram } from "./run-program.ts";

/** An example to be tried from outside, and what it should print. */
export interface ConsumerExample {
  readonly code: string;
  readonly output: string;
}

/** What is tried, under which compiler, and in which folder that does not exist yet. */
export interface ConsumerTrial {
  readonly tarball: string;
  readonly example: ConsumerExample;
  readonly typescript: string;
  readonly folder: string;
}

const TSCONFIG = {
  compilerOptions: {
    target: "esnext",
    module: "nodenext",
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: false,
  },
  files: ["example.ts"],
};

/** Installs a tarball alone into an empty project and counts the packages that arrive. */
export async function countInstalled(tarball: string, folder: string): Promise<number> {
  emptyProject(folder);
  await install(folder, [tarball]);
  const lock = readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8");
  return Object.keys((JSON.parse(lock) as { packages: object }).packages).length;
}

/** Type-checks and runs an example in an empty project that has only the tarball; returns what is wrong. */
export async function consumerErrors(trial: ConsumerTrial): Promise<readonly string[]> {
  const { tarball, example, typescript, folder } = trial;
  emptyProject(folder);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  writeFileSync(join(folder, "example.ts"), example.code);
  await install(folder, [
    tarball,
    `typescript@${typescript}`,
    ...versionsOf(["@types/node"]),
    ...peersOf(example),
  ]);

  const checked = await runProgram([join(folder, "node_modules/.bin/tsc"), "-p", "."], { cwd: folder });
  const ran = await runProgram([process.execPath, "example.ts"], { cwd: folder });
  return [
    ...(checked.code === 0 ? [] : [`TypeScript ${typescript} rejects the example\n${checked.stdout}`]),
    ...(ran.code === 0 ? [] : [`the example ended with ${ran.code}\n${ran.stderr}`]),
    ...[differences(ran.stdout, example.output)].filter(Boolean).map((text) => `the output differs\n${text}`),
  ];
}

function emptyProject(folder: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
}

async function install(folder: string, packages: readonly string[]): Promise<void> {
  await runNpm(["install", "--no-audit", "--no-fund", ...packages], folder);
}

/** The packages an example imports beside ours, in the versions that we test with. */
function peersOf({ code }: ConsumerExample): string[] {
  const imported = Array.from(code.matchAll(/ from "([^."][^"]*)"/g), ([, name = ""]) => name);
  return versionsOf(imported.filter((name) => !name.startsWith("@toolkeep/") && !name.startsWith("node:")));
}

function versionsOf(names: readonly string[]): string[] {
  const manifest = readFileSync(join(ROOT, "package.json"), "utf8");
  const { devDependencies } = JSON.parse(manifest) as { devDependencies: Record<string, string> };
  return names.map((name) => `${name}@${devDependencies[name] ?? "latest"}`);
}
