import type { Effect } from "../contract/call/effect.ts";
import { foldedSegments } from "./name-class.ts";

/** Hooks of git, which run what other files of the project say. */
const HOOKS = ["pre-commit", "commit-msg", "post-commit", "pre-push", "post-checkout", "post-merge"];

/** They run scripts of a `package.json`. */
export const PACKAGE_MANAGERS: readonly string[] = "npm npx pnpm pnpx yarn bun bunx corepack".split(" ");

/** Programs that run what stands in a file of the project, by the names of such files. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  "package.json": [...PACKAGE_MANAGERS, ...HOOKS],
  "lefthook.yml": HOOKS,
  "lefthook.yaml": HOOKS,
  "lefthook-local.yml": HOOKS,
  ".pre-commit-config.yaml": HOOKS,
  ".lintstagedrc": HOOKS,
  ".lintstagedrc.json": HOOKS,
  makefile: ["make", "gmake"],
  gnumakefile: ["make", "gmake"],
  justfile: ["just"],
  "taskfile.yml": ["task"],
  "taskfile.yaml": ["task"],
  rakefile: ["rake", "bundle"],
  gemfile: ["bundle", "rake"],
  "composer.json": ["composer"],
  // Their settings name plug-ins, or code that is loaded first.
  ".rubocop.yml": ["rubocop", "bundle", "rake"],
  ".rspec": ["rspec", "bundle", "rake"],
  ".flake8": ["flake8", "tox", "nox"],
  ...{ ".pylintrc": ["pylint", "tox", "nox"], pylintrc: ["pylint", "tox", "nox"] },
  ...{ "mypy.ini": ["mypy", "tox", "nox"], ".mypy.ini": ["mypy", "tox", "nox"] },
  ".coveragerc": ["coverage", "pytest", "tox", "nox"],
  "global.json": ["dotnet"],
  "pyproject.toml": "pip poetry pdm hatch uv tox nox pytest mypy pylint coverage".split(" "),
  "setup.py": ["pip", "python", "python3", "tox"],
  "setup.cfg": "pip tox pytest mypy pylint flake8 coverage".split(" "),
  "conftest.py": ["pytest", "tox", "nox"],
  "pytest.ini": ["pytest", "tox", "nox"],
  ".pytest.ini": ["pytest", "tox", "nox"],
  "tox.ini": ["tox", "pytest", "flake8", "pylint", "coverage"],
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

/**
 * What these effects are about to change of what commands run: files, and scripts of a `package.json` (`FILE#NAME`)
 * where it is known which.
 */
export function changedScriptsOf(effects: readonly Effect[]): readonly string[] {
  // Most calls change nothing, and nothing is made for them.
  if (!effects.some(changesScript)) return NONE;
  return effects
    .filter(changesScript)
    .flatMap(({ target, scripts }) => scripts?.map((name) => `${target}#${name}`) ?? [target]);
}

function changesScript({ capability, target }: Effect): boolean {
  return (capability === "fs.write" || capability === "fs.delete") && runnersOf(target) !== undefined;
}

/** The programs that run what stands in this file; `undefined` if there are none. A hook is run by its own name. */
export function runnersOf(path: string): readonly string[] | undefined {
  const segments = foldedSegments(path);
  const name = segments.at(-1) ?? "";
  if (Object.hasOwn(RUNNERS, name)) return RUNNERS[name];
  if (segments.slice(0, -1).some((folder) => HOOK_FOLDERS.has(folder))) return [name];
  const [, plain, dotted] = CONFIGURATION.exec(name) ?? [];
  const tool = plain ?? dotted;
  if (tool !== undefined) return [tool, ...loadedBy(tool), ...PACKAGE_MANAGERS, ...HOOKS];
  const isScript = SCRIPT.test(name) || segments.slice(0, -1).some((folder) => SCRIPT_FOLDERS.has(folder));
  return isScript ? NONE : undefined;
}

/** Programs that load the settings of another. */
const LOADED_BY: Readonly<Record<string, readonly string[]>> = {
  vite: ["vitest", "svelte-check"],
  babel: "jest webpack rollup vite vitest mocha ava eslint next".split(" "),
  postcss: "vite vitest webpack rollup next stylelint".split(" "),
  tailwind: "vite vitest webpack rollup next".split(" "),
  svelte: ["vite", "vitest", "svelte-check", "eslint"],
};

function loadedBy(tool: string): readonly string[] {
  return Object.hasOwn(LOADED_BY, tool) ? (LOADED_BY[tool] ?? NONE) : NONE;
}

const HOOK_FOLDERS: ReadonlySet<string> = new Set([".husky", ".githooks", ".lefthook"]);

/** Code that a tool executes before it does its work, or that names such code: `vitest.config.ts`, `.eslintrc.json`. */
const CONFIGURATION =
  /^(?:([\w-]+)\.(?:config|workspace|setup)\.[cm]?[jt]sx?|\.([\w-]+)rc(?:\.(?:[cm]?[jt]s|json[5c]?|ya?ml|toml))?)$/;

/** Run where a command or a script names them. */
const SCRIPT = /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|mk)$/;
const SCRIPT_FOLDERS: ReadonlySet<string> = new Set(["scripts", "script", "bin", "tasks", "hack"]);

const NONE: readonly string[] = [];
