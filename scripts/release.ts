import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { packPackage, tarballFiles } from "./check-tarball.ts";
import { fileListErrors } from "./file-list-errors.ts";
import { publishedPackages } from "./packages.ts";
import type { PackedPackage } from "./quick-starts/local-registry.ts";
import { changelogErrors, newestEntry } from "./release/changelog.ts";
import { copyCheckout } from "./release/copy-checkout.ts";
import { formulaErrors, formulaOf } from "./release/formula.ts";
import { publishOrder } from "./release/publish-order.ts";
import { integrationErrors } from "./release/try-integrations.ts";
import { workflowErrors } from "./release/workflow-errors.ts";
import { ROOT } from "./root.ts";
import { mustRun, runNpm } from "./run-program.ts";

/*
 * `npm run release -- --dry-run`: everything of a release except for the upload, in a copy of the checkout. The
 * changelogs from the changesets, the packages with their file lists, `npm publish --dry-run`, a list of what they install
 * (SBOM), the Homebrew formula, the workflows, the action and the plugin for Claude Code. `--built` takes what is built
 * already; `--out FOLDER` keeps the changelog, the SBOM, the formula, the tarballs and the order to publish them in.
 */

const { values: flags } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    built: { type: "boolean", default: false },
    out: { type: "string" },
  },
});
if (!flags["dry-run"]) {
  console.error("Only a dry run is possible here: npm run release -- --dry-run");
  process.exit(2);
}

const before = await checkoutState();
using temporary = mkdtempDisposableSync(join(tmpdir(), "toolkeep-release-"));
const out = flags.out ?? join(temporary.path, "out");
const copy = join(temporary.path, "copy");
mkdirSync(out, { recursive: true });

say("copying the checkout");
await copyCheckout(copy, { withBuilt: flags.built });
const errors = [...(await changelogErrors(copy))];
const [first] = publishedPackages(copy);
const version = first?.manifest.version ?? "";
const changelog = newestEntry(copy);
writeFileSync(join(out, "CHANGELOG.md"), changelog);
console.log(`Version ${version}. The changelog:\n\n${changelog}`);

if (!flags.built) {
  say("building");
  await runNpm(["run", "build"], copy);
}
const packed: PackedPackage[] = [];
for (const one of publishOrder(publishedPackages(copy))) {
  const destination = join(out, one.manifest.name.replace("/", "-"));
  mkdirSync(destination, { recursive: true });
  const tarball = await packPackage(one, destination);
  packed.push({ manifest: one.manifest, tarball });
  const files = await tarballFiles(tarball);
  const found = fileListErrors(one.manifest, files);
  errors.push(...found.map((error) => `${one.manifest.name}: ${error}`));
  await runNpm(["publish", tarball, "--dry-run", "--access", "public", "--tag", "latest"], copy);
  console.log(
    `${one.manifest.name} ${one.manifest.version}: ${files.length} files, publish --dry-run passed`,
  );
}
const order = packed.map(({ manifest, tarball }) =>
  [manifest.name, manifest.version, relative(out, tarball)].join(" "),
);
writeFileSync(join(out, "order"), `${order.join("\n")}\n`);
writeFileSync(join(out, "version"), `${version}\n`);
errors.push(...(await sbomErrors()));
const program = packed.find(({ manifest }) => manifest.name === "toolkeep");
const formula = formulaOf(copy, { version, tarball: program?.tarball ?? "" });
writeFileSync(join(out, "toolkeep.rb"), formula);
say("the formula, the workflows, the action and the plugin");
errors.push(...formulaErrors(formula), ...workflowErrors(copy));
errors.push(
  ...(await integrationErrors({ root: copy, packed, version, folder: join(temporary.path, "integrations") })),
);
if ((await checkoutState()) !== before) errors.push("The checkout has changed.");

for (const error of errors) console.error(error);
console.log(errors.length === 0 ? "a release would succeed" : `${errors.length} errors`);
process.exitCode = errors.length === 0 ? 0 : 1;

interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly unknown[];
}

/** Writes what an installation of all packages consists of, as CycloneDX. */
async function sbomErrors(): Promise<readonly string[]> {
  const folder = join(temporary.path, "sbom");
  const tarballs = packed.map(({ tarball }) => tarball);
  mkdirSync(folder);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "toolkeep-release", version, private: true }),
  );
  await runNpm(["install", "--package-lock-only", "--prefer-offline", "--no-audit", ...tarballs], folder);
  const { stdout } = await runNpm(["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], folder);
  writeFileSync(join(out, "sbom.cdx.json"), stdout);
  const { components } = JSON.parse(stdout) as { readonly components: readonly Component[] };
  console.log(`SBOM: ${components.length} components`);
  return [
    ...(components.length > tarballs.length ? [] : ["The SBOM names no dependencies."]),
    ...components
      .filter(({ licenses = [] }) => licenses.length === 0)
      .map(({ name, version: of }) => `${name}@${of} has no licence`),
  ];
}

/** Every file that git knows or would add, with its state. */
async function checkoutState(): Promise<string> {
  const { stdout } = await mustRun(["git", "status", "--porcelain=v2", "--untracked-files=all"]);
  const manifests = publishedPackages(ROOT).map(({ folder }) =>
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  return [stdout, ...manifests].join("\n");
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
