import { existsSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packPackage } from "./check-tarball.ts";
import { type Package, publishedPackages } from "./packages.ts";
import { ROOT } from "./root.ts";
import { runNpm, runProgram } from "./run-program.ts";

/*
 * Tries each adapter of @toolkeep/ai with the oldest and the newest published version of its peer dependency: from
 * packed tarballs, in an empty project, without the peers of the other adapters. `--json` prints the figures;
 * `--version ai@7.0.0` tries one version instead.
 */
const { values: flags } = parseArgs({
  options: { json: { type: "boolean", default: false }, version: { type: "string" } },
});

/** The peer dependency of each adapter, and what the project of its user needs in addition. */
const ADAPTERS = [
  { name: "ai-sdk", peer: "ai", more: [] },
  { name: "openai-agents", peer: "@openai/agents", more: ["zod"] },
  { name: "langchain", peer: "@langchain/core", more: [] },
] as const;
type Adapter = (typeof ADAPTERS)[number];

const TSCONFIG = {
  compilerOptions: {
    target: "esnext",
    module: "nodenext",
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  files: ["probe.ts"],
};

using temporary = mkdtempDisposableSync(join(tmpdir(), "peers-"));
const tarballs = await packed(["@toolkeep/core", "@toolkeep/ai"]);
const goals: { name: string; value: number; goal: number; ok: boolean }[] = [];
for (const adapter of ADAPTERS) {
  for (const version of await versionsOf(adapter)) {
    const errors = await errorsWith(adapter, version);
    for (const error of errors) console.error(error);
    goals.push({
      name: `${adapter.name} with ${adapter.peer} ${version}, errors`,
      value: errors.length,
      goal: 0,
      ok: errors.length === 0,
    });
  }
}
if (flags.json) console.log(JSON.stringify({ name: "peers", goals }));
else for (const { name, ok } of goals) console.log(`${ok ? "ok " : "NOT"} ${name}`);
if (goals.some(({ ok }) => !ok)) process.exitCode = 1;

async function packed(names: readonly string[]): Promise<readonly string[]> {
  const packages = publishedPackages().filter(({ manifest }) => names.includes(manifest.name));
  return Promise.all(
    packages.map((one, index) => {
      const destination = join(temporary.path, `packed-${index}`);
      mkdirSync(destination);
      return packPackage(one, destination);
    }),
  );
}

/** The oldest and the newest published version in the declared range. */
async function versionsOf({ peer }: Adapter): Promise<readonly string[]> {
  if (flags.version !== undefined) {
    const at = flags.version.lastIndexOf("@");
    return flags.version.slice(0, at) === peer ? [flags.version.slice(at + 1)] : [];
  }
  const { peerDependencies = {} } = (
    publishedPackages().find(({ manifest }) => manifest.name === "@toolkeep/ai") as Package
  ).manifest;
  const { stdout } = await runNpm(
    ["view", `${peer}@${peerDependencies[peer]}`, "version", "--json"],
    temporary.path,
  );
  const versions = [JSON.parse(stdout) as string | readonly string[]]
    .flat()
    .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }));
  return [...new Set([versions[0], versions.at(-1)])].filter((version) => version !== undefined);
}

async function errorsWith(adapter: Adapter, version: string): Promise<readonly string[]> {
  const { name, peer, more } = adapter;
  process.stderr.write(`${name}: ${peer} ${version}\n`);
  const folder = join(temporary.path, `${name}-${version}`);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  writeFileSync(join(folder, "probe.ts"), readFileSync(join(ROOT, "scripts/peers", `${name}.ts`), "utf8"));
  const compiler = ["typescript", "@types/node"].map((one) => `${one}@${ownVersion(one)}`);
  const packages = [...tarballs, `${peer}@${version}`, ...more, ...compiler];
  await runNpm(["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], folder);
  const others = ADAPTERS.filter(
    (one) => one !== adapter && existsSync(join(folder, "node_modules", one.peer)),
  );
  const checked = await runProgram([join(folder, "node_modules/.bin/tsc"), "-p", "."], { cwd: folder });
  const ran = await runProgram([process.execPath, "probe.ts"], { cwd: folder });
  const where = `${name} with ${peer} ${version}`;
  return [
    ...others.map((one) => `${where}: ${one.peer} is installed too, so the adapter was not tried alone`),
    ...(checked.code === 0 ? [] : [`${where}: the types do not fit\n${checked.stdout}`]),
    ...(ran.code === 0 ? [] : [`${where}: the probe ended with ${ran.code}\n${ran.stderr}`]),
  ];
}

function ownVersion(name: string): string {
  const manifest = readFileSync(join(ROOT, "package.json"), "utf8");
  const { devDependencies } = JSON.parse(manifest) as { devDependencies: Record<string, string> };
  return devDependencies[name] ?? "latest";
}
