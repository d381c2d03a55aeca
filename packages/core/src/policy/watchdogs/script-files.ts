import type { Effect } from "../../contract/effect.ts";
import { foldedSegments } from "./folded-path.ts";

/** Programs that run what stands in a file of the project, by the names of such files. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  "package.json": ["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx", "corepack"],
  makefile: ["make", "gmake"],
  gnumakefile: ["make", "gmake"],
  justfile: ["just"],
  "taskfile.yml": ["task"],
  "taskfile.yaml": ["task"],
  rakefile: ["rake", "bundle"],
  gemfile: ["bundle", "rake"],
  "composer.json": ["composer"],
  "pyproject.toml": ["pip", "poetry", "pdm", "hatch", "uv", "tox", "nox", "pytest"],
  "setup.py": ["pip", "python", "python3", "tox"],
  "setup.cfg": ["pip", "tox", "pytest"],
  "conftest.py": ["pytest", "tox", "nox"],
  "tox.ini": ["tox", "pytest"],
  "noxfile.py": ["nox"],
  "build.rs": ["cargo"],
  "cargo.toml": ["cargo"],
  "build.gradle": ["gradle", "gradlew"],
  "build.gradle.kts": ["gradle", "gradlew"],
  "pom.xml": ["mvn", "mvnw"],
  "cmakelists.txt": ["cmake", "ctest"],
  "deno.json": ["deno"],
  "deno.jsonc": ["deno"],
};

/** The files among these effects that say what commands run, and that are about to be changed. */
export function changedScriptsOf(effects: readonly Effect[]): readonly string[] {
  // Most calls change nothing, and nothing is made for them.
  return effects.some(changesScript) ? effects.filter(changesScript).map(({ target }) => target) : NONE;
}

function changesScript({ capability, target }: Effect): boolean {
  return (capability === "fs.write" || capability === "fs.delete") && runnersOf(target) !== undefined;
}

/** The programs that run what stands in this file; `undefined` if there are none. */
export function runnersOf(path: string): readonly string[] | undefined {
  const name = foldedSegments(path).at(-1) ?? "";
  return Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
}

const NONE: readonly string[] = [];
