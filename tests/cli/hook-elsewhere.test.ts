import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OWN_COMMAND, runProgram } from "./cli-bench.ts";
import { hasSandbox } from "./confined-bench.ts";
import { type DeciderBench, deciderBench } from "./decider-bench.ts";
import { type Payload, payloadsOf } from "./payloads.ts";

let bench: DeciderBench;
beforeEach(() => {
  bench = deciderBench();
});
afterEach(() => bench.remove());

/** Runs the program in a mount namespace of its own, as a container or an editor's sandbox does. */
function inNamespace(args: readonly string[], { stdin = "", options = [] as readonly string[] } = {}) {
  return runProgram(["bwrap", "--dev-bind", "/", "/", ...options, ...OWN_COMMAND, ...args], {
    ...{ stdin, cwd: bench.project, env: bench.hookEnvironment },
  });
}

describe.skipIf(!hasSandbox)("in another mount namespace", () => {
  test("doctor says that the decider does not answer here, and here only", async () => {
    const read = payloadsOf("claude-code", bench)["read"] as Payload;
    expect(await bench.hook(read)).toMatchObject({ code: 0 });
    const codes = ({ stdout }: { readonly stdout: string }) =>
      (JSON.parse(stdout).findings as readonly { readonly code: string }[]).map(({ code }) => code);
    expect(codes(await inNamespace(["doctor", "--json"]))).toContain("decider_elsewhere");
    const here = { cwd: bench.project, env: bench.hookEnvironment };
    const found = codes(await runProgram([...OWN_COMMAND, "doctor", "--json"], here));
    expect(found.filter((code) => code.startsWith("decider"))).toEqual([]);
  });

  test("a state folder that cannot be written blocks, and names the folder and the command", async () => {
    const read = payloadsOf("claude-code", bench)["read"] as Payload;
    const state = join(bench.environment.TOOLKEEP_HOME, "state");
    expect(await bench.hook(read)).toMatchObject({ code: 0 });
    const outcome = await inNamespace(["hook", "claude-code"], {
      stdin: JSON.stringify(read),
      options: ["--ro-bind", state, state],
    });
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain(`its state folder ${state} cannot be written`);
    expect(outcome.stderr).toContain("sudo chown -R");
  });
});
