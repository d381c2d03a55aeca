/** Commands that read the files they are given. */
export const READERS: ReadonlySet<string> = new Set(
  (
    "cat head tail wc nl tac less more diff cmp comm sort uniq cut paste column od xxd strings base64 base32 " +
    "md5sum sha1sum sha256sum sha512sum b2sum cksum hexdump rev fold split join iconv bat cp rsync install ln"
  ).split(" "),
);

/** Commands that only look at what there is: what lies in the folder is no secret to them. */
export const LISTERS: ReadonlySet<string> = new Set("ls tree du stat file realpath readlink find".split(" "));

/** Commands whose first operand is a pattern or a program, unless an option gave it. */
export const SEARCHERS: ReadonlySet<string> = new Set("grep egrep fgrep rg sed awk jq yq".split(" "));

/** Commands that load and run what they are given. What is given from elsewhere is not code of the project. */
export const CODE_RUNNERS: ReadonlySet<string> = new Set(
  (
    "npm npx pnpm pnpx yarn bun bunx node deno tsc vue-tsc svelte-check eslint oxlint stylelint biome prettier vitest " +
    "jest mocha ava pytest ruff mypy python python3 uv poetry pdm hatch cargo go dotnet swift mix flutter dart bundle " +
    "rspec rubocop phpunit ctest make gmake mvn gradle mvnw gradlew"
  ).split(" "),
);

export const HOOK_PATH = /(?:^|\/)(?:\.husky|\.githooks|hooks)\/[\w-]+$/;
