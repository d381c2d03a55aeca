import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { FROM_SOURCE } from "../from-source.ts";

const PACKAGE = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
const RUNNER = join(dirname(PACKAGE), "dist/index.js");
const CLIENT = fileURLToPath(new URL("./conformance-client.ts", import.meta.url));
/** For a shell. */
const COMMAND = [process.execPath, "--no-warnings", ...FROM_SOURCE, CLIENT]
  .map((arg) => `"${arg}"`)
  .join(" ");

/** What cannot pass, and why. One that passes all the same fails the test. */
const BASELINE: Readonly<Record<string, string>> = {
  "auth/2025-03-26-oauth-metadata-backcompat":
    "its metadata names another issuer than the one that was asked, which RFC 8414 says to refuse",
  "auth/client-credentials-jwt": "an extension: logins without a person are not offered",
  "auth/client-credentials-basic": "an extension: logins without a person are not offered",
  "auth/cross-app-access-complete-flow":
    "an extension: logins through an enterprise's own issuer are not offered",
};

/** Those that run always; with TOOLKEEP_RUNS set all do, which takes a minute. */
const EVERYDAY: ReadonlySet<string> = new Set([
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "auth/scope-step-up",
]);

const isCampaign = process.env["TOOLKEEP_RUNS"] !== undefined;
const all = await clientScenarios();
const chosen = all.filter((name) => isCampaign || EVERYDAY.has(name));

test("the official package still has the scenarios that we name", () => {
  expect(all.length).toBeGreaterThan(20);
  for (const name of [...Object.keys(BASELINE), ...EVERYDAY]) expect(all).toContain(name);
});

describe.concurrent("official conformance scenarios of clients", () => {
  test.each(chosen.filter((name) => !Object.hasOwn(BASELINE, name)))("%s passes", async (name) => {
    const { isPassed, output } = await runScenario(name);
    expect(isPassed, output).toBe(true);
  });

  test.each(chosen.filter((name) => Object.hasOwn(BASELINE, name)))("%s cannot pass yet", async (name) => {
    const { isPassed, output } = await runScenario(name);
    expect(isPassed, `${name} passes; take it out of the baseline.\n${output}`).toBe(false);
    expect(output).toContain("Failed Checks:");
  });
});

async function clientScenarios(): Promise<readonly string[]> {
  const { output } = await run(["list", "--client"]);
  return [...output.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name);
}

async function runScenario(name: string): Promise<{ readonly isPassed: boolean; readonly output: string }> {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-conformance-"));
  try {
    const { code, output } = await run(["client", "--command", COMMAND, "--scenario", name, "-o", folder]);
    return { isPassed: code === 0 && output.includes("OVERALL: PASSED"), output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(words: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--no-warnings", RUNNER, ...words], (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : error === null ? 0 : 1;
      resolve({ code, output: stdout + stderr });
    });
  });
}
