import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { writeHome } from "./hook-bench.ts";
import { payloadsOf, withInput } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  mkdirSync(join(bench.project, ".claude"));
});
afterEach(() => bench.remove());

const env = { PATH: "/usr/bin:/bin" };
const run = (...args: readonly string[]) => bench.run(args, { env });
const json = async () => JSON.parse((await run("status", "--json")).stdout);

describe("toolkeep status", () => {
  test("says that nothing guards the project, and what to type, and writes nothing", async () => {
    const { code, stdout } = await run("status");
    expect([code, stdout.split("\n")[0]]).toEqual([0, `${bench.project}: NOT GUARDED`]);
    expect(stdout).toContain(`> toolkeep init claude-code --project ${bench.project}`);
    expect(await json()).toMatchObject({ isGuarded: false, clients: [], today: { calls: 0 } });
  });

  test("counts the decisions of today, and says what is ignored, paused and removed", async () => {
    expect(await run("init", "claude-code", "--yes")).toMatchObject({ code: 0 });
    const payload = payloadsOf("claude-code", bench)["shell"] ?? {};
    const began = new Date().toDateString();
    for (const command of ["cat ~/.ssh/id_ed25519", "git status"])
      await bench.run(["hook", "claude-code"], {
        env,
        stdin: JSON.stringify(withInput(payload, { command })),
      });
    bench.write(".toolkeep/config.jsonc", '{ "policy": "mine.yaml" }');
    bench.write(".toolkeep/mine.yaml", "version: 1\nrules:\n  - deny fs.read\n");
    const status = await json();
    const { stdout } = await run("status");
    // Over midnight, the calls are of yesterday.
    if (new Date().toDateString() === began) {
      expect(status.today).toMatchObject({ calls: 2, allowed: 1, denied: 1 });
      expect(stdout).toMatch(/^ {2}today +2 calls: 1 allowed, 0 asked, 1 denied$/m);
    }
    expect(status).toMatchObject({
      ...{ isGuarded: true, clients: ["claude-code"], mode: "ask", waiting: 0 },
      trust: { ignored: { command: expect.stringContaining("toolkeep trust") } },
    });
    expect(stdout).toMatch(/that is not trusted, so it does not apply/);
    bench.write(".claude/settings.local.json", "{}");
    expect(await json()).toMatchObject({ isGuarded: false, clients: [] });
    expect((await run("status")).stdout).toContain("NOT GUARDED");
  });

  test("shows an invalid configuration in place of what it cannot know", async () => {
    mkdirSync(join(bench.environment.TOOLKEEP_HOME, "config"), { recursive: true, mode: 0o700 });
    writeHome(bench, "../toolkeep/config/config.jsonc", "{ nothing");
    const { code, stdout } = await run("status");
    expect(code).toBe(0);
    expect(stdout).toContain("every call is blocked");
  });
});
