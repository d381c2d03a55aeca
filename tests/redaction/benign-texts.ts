import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Numbers } from "./made-secret.ts";

/** A text without any secret, and where it is from. */
export interface BenignText {
  readonly source: string;
  readonly text: string;
}

const ROOT = join(import.meta.dirname, "../..");
const LENGTH = 2_000;

/** What is read of files: the source, which files, and how many texts. */
const FILES: readonly (readonly [source: string, patterns: readonly string[], share: number])[] = [
  ["our source code", ["packages/*/src/**/*.ts"], 0.2],
  ["our documentation", ["docs/**/*.md", "*.md", "packages/*/README.md"], 0.1],
  ["documentation of packages", ["node_modules/{*,@*/*}/{README,CHANGELOG}.md"], 0.25],
  ["code of packages", ["node_modules/{ajv,zod,semver,undici,vitest,fast-check}/**/*.{js,cjs,mjs,ts}"], 0.1],
  ["descriptions of packages", ["node_modules/{*,@*/*}/package.json"], 0.05],
  ["lock file", ["package-lock.json"], 0.05],
];

/** Texts of our own about secrets have made-up secrets in them. */
const ABOUT_SECRETS =
  /redact|secret|\.test\.|oauth|credential|hide-values|hidden-value|approvals|first-hour|evidence|0073|figures|SECURITY/i;

/** Texts without secrets: code, documentation, lock files, logs, JSON, differences, lists of hashes. The same in every run. */
export function* benignTexts(count: number): Generator<BenignText> {
  const numbers = new Numbers(12);
  for (const [source, patterns, share] of FILES)
    yield* fileTexts(source, patterns, Math.round(count * share), numbers);
  const made = Object.entries(MADE);
  const each = Math.ceil((count * 0.25) / made.length);
  for (const [source, make] of made)
    for (let index = 0; index < each; index += 1) yield { source, text: lines(40, () => make(numbers)) };
}

function* fileTexts(
  source: string,
  patterns: readonly string[],
  count: number,
  numbers: Numbers,
): Generator<BenignText> {
  const files = patterns
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .filter((file) => !ABOUT_SECRETS.test(file))
    .toSorted();
  const known = new Map<string, string>();
  for (let index = 0; index < count; index += 1) {
    const file = files[Math.floor((index * files.length) / count)] ?? "";
    const text = known.get(file) ?? readFileSync(join(ROOT, file), "utf8");
    known.set(file, text);
    const start = text.length <= LENGTH ? 0 : numbers.below(text.length - LENGTH);
    yield { source: `${source}: ${file}`, text: text.slice(start, start + LENGTH) };
  }
}

function lines(count: number, make: () => string): string {
  return Array.from({ length: count }, make).join("\n");
}

const hash = (numbers: Numbers, kind: string) =>
  createHash(kind)
    .update(String(numbers.below(1e9)))
    .digest();
const uuid = (numbers: Numbers) =>
  hash(numbers, "sha1")
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
const word = (numbers: Numbers) => numbers.of(WORDS);
const WORDS =
  "request session token password policy user key secret cache index value result parser worker queue signature cookie auth header account page build test deploy".split(
    " ",
  );

/** What machines write, line by line. Names of secrets are among the words: a name alone is none. */
const MADE: Readonly<Record<string, (numbers: Numbers) => string>> = {
  logs: (numbers) =>
    `2026-11-${10 + numbers.below(20)}T0${numbers.below(9)}:${10 + numbers.below(50)}:${10 + numbers.below(50)}Z INFO [${word(numbers)}] ${word(numbers)} ${word(numbers)} took ${numbers.below(900)} ms, id=${uuid(numbers)} ${word(numbers)}s: ${numbers.below(5_000)}`,
  "results in JSON": (numbers) =>
    JSON.stringify({
      id: uuid(numbers),
      [`${word(numbers)}_count`]: numbers.below(1_000),
      nextPageToken: hash(numbers, "sha256").toString("base64url"),
      sha: hash(numbers, "sha1").toString("hex"),
      token: numbers.of(["identifier", "string", "keyword", null]),
      password: numbers.of(["********", "", null, "<hidden>"]),
      tokens: numbers.below(4_000),
      max_tokens: 4_096,
      etag: `W/"${hash(numbers, "md5").toString("hex")}"`,
    }),
  "differences of git": (numbers) =>
    numbers.of([
      `index ${hash(numbers, "sha1").toString("hex").slice(0, 12)}..${hash(numbers, "sha1").toString("hex").slice(0, 12)} 100644`,
      `@@ -${numbers.below(90)},7 +${numbers.below(90)},9 @@ export function ${word(numbers)}Of(${word(numbers)}: string): string {`,
      `-  const password = readPassword(${word(numbers)});`,
      `+  const token = await ${word(numbers)}.getToken("${word(numbers)}");`,
      `+  password: process.env.DB_PASSWORD ?? "",`,
      `   token: string;`,
      `-  secret: ${word(numbers)}.secret,`,
      `commit ${hash(numbers, "sha1").toString("hex")}`,
    ]),
  "lock files": (numbers) =>
    numbers.of([
      `      "integrity": "sha512-${hash(numbers, "sha512").toString("base64")}",`,
      `      "resolved": "https://registry.npmjs.org/js-${word(numbers)}s/-/js-${word(numbers)}s-4.${numbers.below(20)}.0.tgz",`,
      `    "node_modules/${word(numbers)}-${word(numbers)}": {`,
      `        "${word(numbers)}-token": "^${numbers.below(9)}.${numbers.below(30)}.1",`,
      `checksum = "${hash(numbers, "sha256").toString("hex")}"`,
    ]),
  "configuration with placeholders": (numbers) =>
    numbers.of([
      `password: \${${word(numbers).toUpperCase()}_PASSWORD}`,
      `DB_PASSWORD=changeme`,
      `API_KEY=<your-api-key>`,
      `token: "{{ .Values.token }}"`,
      `Authorization: Bearer $TOKEN`,
      `curl -H "Authorization: Bearer \${TOKEN}" https://api.example.com`,
      `client_secret = "***"`,
      `secretKeyRef: { name: db, key: password }`,
      `mysql -u root -p ${word(numbers)}`,
      `PWD=/home/me/project`,
      `--password-file /run/secrets/${word(numbers)}`,
      `postgres://user:password@localhost:5432/app`,
      `image: registry.example/app@sha256:${hash(numbers, "sha256").toString("hex")}`,
    ]),
  "hashes and ids": (numbers) =>
    numbers.of([
      `${hash(numbers, "sha256").toString("hex")}  dist/${word(numbers)}.js`,
      `${hash(numbers, "sha1").toString("hex")} refs/heads/${word(numbers)}`,
      `${uuid(numbers)},${numbers.below(100_000)},${word(numbers)}`,
      `ETag: "${hash(numbers, "md5").toString("hex")}"`,
      `ssh-ed25519 ${hash(numbers, "sha512").toString("base64").slice(0, 68)} me@host`,
      `data:image/png;base64,${hash(numbers, "sha512").toString("base64")}`,
    ]),
};
