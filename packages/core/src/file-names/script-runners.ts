/** Hooks of git, which run what other files of the project say. */
export const HOOKS = ["pre-commit", "commit-msg", "post-commit", "pre-push", "post-checkout", "post-merge"];

/** They run scripts of a `package.json`. */
export const PACKAGE_MANAGERS: readonly string[] = "npm npx pnpm pnpx yarn bun bunx corepack".split(" ");

/** Programs that run what stands in a file of the project, by the names of such files. */
export const RUNNERS: Readonly<Record<string, readonly string[]>> = {
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

/** Programs that load the settings of another. */
export const LOADED_BY: Readonly<Record<string, readonly string[]>> = {
  vite: ["vitest", "svelte-check"],
  babel: "jest webpack rollup vite vitest mocha ava eslint next".split(" "),
  postcss: "vite vitest webpack rollup next stylelint".split(" "),
  tailwind: "vite vitest webpack rollup next".split(" "),
  svelte: ["vite", "vitest", "svelte-check", "eslint"],
};

export const HOOK_FOLDERS: ReadonlySet<string> = new Set([".husky", ".githooks", ".lefthook"]);

/** Code that a tool executes before it does its work, or that names such code: `vitest.config.ts`, `.eslintrc.json`. */
export const CONFIGURATION =
  /^(?:([\w-]+)\.(?:config|workspace|setup)\.[cm]?[jt]sx?|\.([\w-]+)rc(?:\.(?:[cm]?[jt]s|json[5c]?|ya?ml|toml))?)$/;

/** Run where a command or a script names them. */
export const SCRIPT = /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|mk)$/;

/** By the end of their names. A program that was built has none. */
export const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rb|rake|php|pl|t|go|lua|jl|exs?|dart|r|jar|java)$|(?:^|\/)[^/.]+$/i;

export const SCRIPT_FOLDERS: ReadonlySet<string> = new Set(["scripts", "script", "bin", "tasks", "hack"]);
