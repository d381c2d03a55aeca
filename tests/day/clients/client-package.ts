import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/root.ts";
import { runNpm } from "../../../scripts/run-program.ts";

/** A package of the registry in one version. It is neither vendored nor a dependency of the project. */
export interface ClientPackage {
  readonly name: string;
  readonly version: string;
  /** The program within the folder that it is installed in. */
  readonly program: string;
}

/** Where a package is installed. It stays there for the next time. */
function installFolder({ name, version }: ClientPackage): string {
  return join(ROOT, ".cache/clients", `${name.replace(/^@/, "").replace("/", "-")}-${version}`);
}

const installing = new Map<string, Promise<void>>();

/** The program of a package, installed if it is not there. @throws if the registry does not deliver it. */
export async function installedProgram(wanted: ClientPackage): Promise<string> {
  const folder = installFolder(wanted);
  const program = join(folder, wanted.program);
  if (existsSync(program)) return program;
  const started = installing.get(folder) ?? install(wanted, folder);
  installing.set(folder, started);
  await started;
  if (!existsSync(program)) throw new Error(`${folder} has no ${wanted.program} for this machine.`);
  return program;
}

async function install({ name, version }: ClientPackage, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const spec = `${name}@${version}`;
  await runNpm(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", spec], folder);
}
