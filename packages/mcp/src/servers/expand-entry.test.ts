// biome-ignore-all lint/suspicious/noTemplateCurlyInString: entries are written like that
import { expect, test } from "vitest";
import { expandEntry } from "./expand-entry.ts";
import type { ServerEntry } from "./server-entry.ts";
import { serverFingerprint } from "./server-fingerprint.ts";

const stdio = (args: readonly string[], env: Record<string, string> = {}): ServerEntry => ({
  kind: "stdio",
  name: "x",
  isOfProject: true,
  command: "run",
  args,
  env,
});
const environment = { TOKEN: "s3cret", EMPTY: "", SHAPE: "${TOKEN}", HOME: "/home/me" };

test("values are put in wherever an entry may name them", () => {
  const entry = stdio(
    ["${TOKEN}-${env:TOKEN}", "${NONE:-other}", "${EMPTY:-full}", "${workspaceFolder}/a", "${userHome}"],
    {
      A: "${SHAPE}",
    },
  );
  expect(expandEntry(entry, { environment, workspaceFolder: "/w" })).toMatchObject({
    entry: { args: ["s3cret-s3cret", "other", "full", "/w/a", "/home/me"], env: { A: "${TOKEN}" } },
  });
  const http: ServerEntry = {
    kind: "http",
    name: "x",
    isOfProject: false,
    url: "https://${NONE:-host.test}/mcp",
    headers: { Authorization: "Bearer ${TOKEN}" },
  };
  expect(expandEntry(http, { environment })).toMatchObject({
    entry: { url: "https://host.test/mcp", headers: { Authorization: "Bearer s3cret" } },
  });
});

test.each([
  ["${NONE}", "NONE is not set"],
  ["${env:NONE}", "NONE is not set"],
  ["${toString}", "toString is not set"],
  ["${workspaceFolder}", "no project is open"],
  ["${input:key}", "set an environment variable"],
  ["${command:pick}", "is unknown"],
])("%s without a value is an error and never an empty text", (text, words) => {
  const { error } = expandEntry(stdio([text]), { environment });
  expect(error).toContain(words);
  expect(error).not.toContain("s3cret");
});

test("what would end a text or a header early, or is no web address, is an error", () => {
  const http = (url: string, headers: Record<string, string> = {}): ServerEntry => ({
    kind: "http",
    name: "x",
    isOfProject: true,
    url,
    headers,
  });
  expect(expandEntry(stdio(["${BAD}"]), { environment: { BAD: "a\0b" } }).error).toContain("NUL");
  expect(
    expandEntry(http("https://a.test", { A: "${BAD}" }), { environment: { BAD: "a\r\nB: c" } }).error,
  ).toContain("line break");
  expect(expandEntry(http("file:///etc/passwd"), { environment }).error).toContain("neither https nor http");
  expect(expandEntry(http("no address"), { environment }).error).toContain("not a URL");
});

test("the fingerprint stands for what is written, whatever the order and the name", () => {
  const one = serverFingerprint(stdio(["a", "b"], { A: "1", B: "2" }));
  expect(serverFingerprint({ ...stdio(["a", "b"], { B: "2", A: "1" }), name: "y", file: "/f" })).toBe(one);
  const others = [
    stdio(["a b"], { A: "1", B: "2" }),
    stdio(["a", "b"], { A: "1" }),
    stdio(["a", "b"], { A: "1", B: "3" }),
    { ...stdio(["a", "b"], { A: "1", B: "2" }), cwd: "/tmp" },
    { ...stdio(["a", "b"], { A: "1", B: "2" }), command: "other" },
  ];
  expect(new Set([one, ...others.map((entry) => serverFingerprint(entry as ServerEntry))]).size).toBe(6);
});
