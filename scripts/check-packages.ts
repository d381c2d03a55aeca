import { globSync, mkdirSync, mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { minVersion } from "semver";
import { bundlerErrors } from "./bundlers/try-bundlers.ts";
import { packPackage, tarballErrors } from "./check-tarball.ts";
import { type PackageManifest, publishedPackages } from "./packages.ts";
import type { PackedPackage } from "./quick-starts/local-registry.ts";
import { quickStartErrors } from "./quick-starts/try-quick-starts.ts";
import { ROOT } from "./root.ts";
import { consumerErrors, moduleErrors } from "./try-consumer.ts";

/*
 * Packs every package and checks the tarballs: contents, manifest, types. Then, in empty projects: the examples
 * compile and run, each framework that @toolkeep/ai supports works alone, each bundler builds the application of its
 * README, and the quick starts of the README work as a new user types them, with each Node that we support. With
 * `--only=quick-starts` or `--only=bundlers` those alone; with `--quick` on the oldest Node, without the frameworks, and
 * with two bundlers.
 */

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});

const STARTED = ["@modelcontextprotocol/server-filesystem"];
const EXAMPLES = globSync("examples/*.ts", { cwd: ROOT }).toSorted();

/** Entry points of @toolkeep/ai that need one framework and no other. */
const FRAMEWORKS = { langchain: "@langchain/core", "openai-agents": "@openai/agents" } as const;

using temporary = mkdtempDisposableSync(join(tmpdir(), "packages-"));
const packages = publishedPackages();
const tarballs = new Map<string, string>();
const errors: string[] = [];

for (const [index, workspacePackage] of packages.entries()) {
  const { name } = workspacePackage.manifest;
  const destination = join(temporary.path, `${index}`);
  mkdirSync(destination);
  say(`${name}: pack, publint, attw`);
  const tarball = await packPackage(workspacePackage, destination);
  tarballs.set(name, tarball);
  if (flags.only === undefined) errors.push(...(await tarballErrors(tarball, workspacePackage)));
}
const trials = {
  "quick-starts": tryQuickStarts,
  bundlers: tryBundlers,
  examples: tryExamples,
  ...(flags.quick ? {} : { frameworks: tryFrameworks }),
};
const chosen = Object.entries(trials).filter(([name]) => flags.only === undefined || name === flags.only);
if (chosen.length === 0) throw new Error(`--only takes ${Object.keys(trials).join(", ")}`);
errors.push(...(await Promise.all(chosen.map(([, attempt]) => attempt()))).flat());

for (const error of errors) console.error(error);
const passed = flags.only === undefined ? "packages are fit to publish" : `no errors in ${flags.only}`;
console.log(errors.length === 0 ? passed : `${errors.length} errors in packages`);
process.exitCode = errors.length === 0 ? 0 : 1;

function tryExamples(): Promise<readonly string[]> {
  say(`${EXAMPLES.length} examples from tarballs`);
  return consumerErrors({
    tarballs: [...tarballs.values()],
    examples: EXAMPLES,
    programs: STARTED,
    folder: join(temporary.path, "examples"),
  });
}

/** At both ends of the range that we declare, without the other frameworks. */
async function tryFrameworks(): Promise<readonly string[]> {
  const { peerDependencies = {}, devDependencies = {} } = manifestOf("@toolkeep/ai");
  const found: string[] = [];
  for (const [subpath, framework] of Object.entries(FRAMEWORKS)) {
    const range = peerDependencies[framework] ?? "";
    const ends = new Set([minVersion(range)?.version ?? range, devDependencies[framework] ?? range]);
    for (const version of ends) {
      say(`@toolkeep/ai/${subpath} with ${framework} ${version} alone`);
      const folder = join(temporary.path, `${subpath}-${version}`);
      const installed = [...withOurs("@toolkeep/ai"), `${framework}@${version}`];
      found.push(...(await moduleErrors(installed, `await import("@toolkeep/ai/${subpath}");`, folder)));
    }
  }
  return found;
}

function tryBundlers(): Promise<readonly string[]> {
  say("the application of the README of @toolkeep/ai, bundled");
  const { devDependencies = {} } = manifestOf("@toolkeep/ai");
  const versioned = (name: string) => `${name}@${devDependencies[name] ?? "latest"}`;
  return bundlerErrors({
    tarballs: withOurs("@toolkeep/ai"),
    versioned,
    folder: join(temporary.path, "bundlers"),
    quick: flags.quick,
  });
}

function tryQuickStarts(): Promise<readonly string[]> {
  say("the quick starts of the README");
  const packed = packages.map(
    ({ manifest }): PackedPackage => ({ manifest, tarball: tarballs.get(manifest.name) ?? "" }),
  );
  return quickStartErrors(packed, { folder: join(temporary.path, "quick-starts"), oldest: flags.quick });
}

/** The tarballs of a package and of those of ours that it depends on. */
function withOurs(name: string): readonly string[] {
  const { dependencies = {} } = manifestOf(name);
  const own = Object.keys(dependencies).filter((dependency) => tarballs.has(dependency));
  return [...new Set([tarballs.get(name) ?? name, ...own.flatMap(withOurs)])];
}

function manifestOf(name: string): PackageManifest {
  const found = packages.find(({ manifest }) => manifest.name === name);
  if (found === undefined) throw new Error(`There is no package ${name}`);
  return found.manifest;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
