import { bareName } from "../forms/command-forms.ts";

/** Commands that load and run what they are given. What is given from elsewhere is not code of the project. */
const CODE_RUNNERS: ReadonlySet<string> = new Set(
  (
    "npm npx pnpm pnpx yarn bun bunx node deno tsc vue-tsc svelte-check eslint oxlint stylelint biome prettier vitest " +
    "jest mocha ava pytest ruff mypy python python3 uv poetry pdm hatch cargo go dotnet swift mix flutter dart bundle " +
    "rspec rubocop phpunit ctest make gmake mvn gradle mvnw gradlew"
  ).split(" "),
);

const HOOK_PATH = /(?:^|\/)(?:\.husky|\.githooks|hooks)\/[\w-]+$/;

/** Whether a command runs code: that of the folder it runs in, or what it is given. */
export function runsCode([name = ""]: readonly string[]): boolean {
  return CODE_RUNNERS.has(bareName(name)) || HOOK_PATH.test(name);
}
