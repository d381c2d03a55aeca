import { lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bashPayload, type DeciderBench, deciderBench, decisionIn, readPayload } from "./decider-bench.ts";
import { writePolicy } from "./hook-bench.ts";

let bench: DeciderBench;
beforeEach(() => {
  bench = deciderBench();
});
afterEach(() => bench.remove());

const read = (path = join(bench.project, "src/a.ts"), session?: string) => readPayload(bench, path, session);

describe("the decider", () => {
  test("is started by the first hook, and answers it and the next ones", async () => {
    const first = await bench.hook(read());
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(decisionIn(first)).toBe("allow");
    const [pid] = await bench.untilDeciders(1);
    expect(await bench.hook(read())).toEqual(first);
    expect(bench.deciders()).toEqual([pid]);
  });

  test("is in a directory that only its user can enter", async () => {
    await bench.hook(read());
    await bench.untilDeciders(1);
    expect(lstatSync(bench.folder).mode & 0o777).toBe(0o700);
    expect(lstatSync(bench.socket()).mode & 0o077).toBe(0);
  });

  test.runIf(process.platform === "linux")("has nothing of the environment of the hook", async () => {
    await bench.hook(read(), { env: { API_TOKEN: "not-a-real-one", NODE_OPTIONS: "--no-warnings" } });
    const [pid] = await bench.untilDeciders(1);
    const own = readFileSync(`/proc/${pid}/environ`, "utf8");
    expect(own).toMatch(/^NODE_OPTIONS=--max-semi-space-size=\d+ --max-old-space-size=\d+\0$/);
  });

  test("decides with the directory and the environment of each hook", async () => {
    const other = join(bench.base, "other");
    mkdirSync(join(other, ".git"), { recursive: true });
    await bench.hook(read());
    const [pid] = await bench.untilDeciders(1);
    const of = (project: string) => ({ env: { CLAUDE_PROJECT_DIR: project }, cwd: project });
    const write = (file: string) => bashPayload(bench, `touch ${file}`, "two");
    const own = await bench.hook(write(join(bench.project, "a")), of(other));
    const again = await bench.hook(write(join(bench.project, "a")), of(bench.project));
    expect([decisionIn(own), decisionIn(again)]).toEqual(["ask", "allow"]);
    // `~` is the home directory of the caller.
    const home = join(bench.base, "elsewhere");
    mkdirSync(home);
    const asked = await bench.hook(bashPayload(bench, "touch ~/note", "three"), { env: { HOME: home } });
    expect(asked.stdout).toContain(join(home, "note"));
    expect(bench.deciders()).toEqual([pid]);
  });

  test("reads a changed policy at once", async () => {
    await bench.hook(read());
    await bench.untilDeciders(1);
    const decision = async () => decisionIn(await bench.hook(read()));
    expect(await decision()).toBe("allow");
    for (const action of ["deny", "ask", "allow", "deny"]) {
      writePolicy(bench, `version: 1\nrules:\n  - ${action} fs.read "{workspace}/**"\n`);
      expect(await decision()).toBe(action);
    }
    writePolicy(bench, "version: 1\nrules: nonsense\n");
    expect(await decision()).toBe("blocked");
    rmSync(join(bench.environment.TOOLKEEP_HOME, "config"), { recursive: true });
    expect(await decision()).toBe("allow");
    expect(bench.deciders()).toHaveLength(1);
  });

  test("notices at once that a project is trusted, and no longer is", async () => {
    bench.write(".toolkeep/policy.yaml", 'version: 1\nrules:\n  - allow shell.run "make deploy"\n');
    bench.write(".toolkeep/config.jsonc", '{ "policy": "policy.yaml" }');
    const decision = async () => decisionIn(await bench.hook(bashPayload(bench, "make deploy")));
    expect(await decision()).toBe("ask");
    expect(await bench.run(["trust", "--yes"])).toMatchObject({ code: 0 });
    expect(await decision()).toBe("allow");
    rmSync(join(bench.environment.TOOLKEEP_HOME, "state/trust.json"));
    expect(await decision()).toBe("ask");
    expect(bench.deciders()).toHaveLength(1);
  });

  test("keeps the marks of a conversation, also after it was killed", async () => {
    const env = bench.write(".env", "TOKEN=not-a-real-one\n");
    expect(decisionIn(await bench.hook(read(env)))).toBe("ask");
    const curl = bashPayload(bench, "curl https://example.com");
    // The first one marks the conversation too.
    await bench.hook(curl);
    const before = await bench.hook(curl);
    expect(before.stdout).toContain("step 1 reads");
    const [pid = 0] = await bench.untilDeciders(1);
    process.kill(pid, "SIGKILL");
    await bench.untilDeciders(0);
    expect(await bench.hook(curl)).toEqual(before);
    const [next] = await bench.untilDeciders(1);
    expect(next).not.toBe(pid);
  });

  test("ends when its directory is removed", async () => {
    await bench.hook(read());
    await bench.untilDeciders(1);
    rmSync(bench.folder, { recursive: true });
    await bench.untilDeciders(0);
  });

  test("is not asked for other forms of the command, which the program reads", async () => {
    const { CLAUDE_PROJECT_DIR: _, ...env } = bench.hookEnvironment;
    expect(await bench.run(["hook", "claude-code", "--help"], { env })).toMatchObject({ code: 0 });
    expect(await bench.run(["hook", "claude-code", "--policy"], { env })).toMatchObject({ code: 2 });
    expect(await bench.run(["hook", "notepad"], { env })).toMatchObject({ code: 2, stdout: "" });
    expect(bench.deciders()).toEqual([]);
  });
});
