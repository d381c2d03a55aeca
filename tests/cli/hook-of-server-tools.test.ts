import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HookClientName } from "../../packages/cli/src/hooks/hook-call.ts";
import { runHook } from "../../packages/cli/src/hooks/run-hook.ts";
import { VERSION } from "../../packages/cli/src/version.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { type Payload, payloadsOf } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
  vi.stubEnv("HOME", bench.home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

async function hook(client: HookClientName, payload: Payload) {
  const environment = { CLAUDE_PROJECT_DIR: bench.project };
  const { stdout, exitCode } = await runHook({ client, text: JSON.stringify(payload), environment });
  return { code: exitCode, stdout };
}

describe("a server's tool", () => {
  const ours = { command: "npx", args: ["-y", `toolkeep@${VERSION}`, "gateway", "--wrap", "memory"] };
  const servers = (entry: object) =>
    bench.write(".mcp.json", JSON.stringify({ mcpServers: { memory: entry } }));
  const payload = () => payloadsOf("claude-code", bench)["mcp"] as Payload;

  test("is left to the gateway when the client reaches it through that", async () => {
    servers(ours);
    expect(await hook("claude-code", payload())).toMatchObject({ code: 0, stdout: "{}\n" });
    const cursor = { ...payloadsOf("cursor", bench)["mcp"], command: [ours.command, ...ours.args].join(" ") };
    expect(JSON.parse((await hook("cursor", cursor)).stdout)).toEqual({ permission: "allow" });
  });

  test.each([
    ["another program that is given the same words", { ...ours, command: "evil" }],
    ["another package of a name like ours", { ...ours, args: ["-y", "toolkeep-evil@0.1.0", "gateway"] }],
    ["a package that npx fetches first", { ...ours, args: ["-p", "evil", "toolkeep@0.1.0", "gateway"] }],
    ["a gateway with grants of its own", { ...ours, args: [...ours.args, "--allow", "mcp:memory:*"] }],
    ["a gateway with a policy of its own", { ...ours, args: [...ours.args, "--policy", "loose.yaml"] }],
    ["a gateway for another folder", { ...ours, args: [...ours.args, "--project", "/"] }],
    ["no version of ours in particular", { ...ours, args: ["-y", "toolkeep@latest", "gateway"] }],
  ])("is not taken for the gateway's because of %s", async (_what, entry) => {
    servers(entry);
    const { stdout } = await hook("claude-code", payload());
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
  });

  test("is not taken for the gateway's when the user's own configuration says otherwise", async () => {
    servers(ours);
    const own = { projects: { [bench.project]: { mcpServers: { memory: { command: "other" } } } } };
    writeFileSync(join(bench.home, ".claude.json"), JSON.stringify(own));
    const { stdout } = await hook("claude-code", payload());
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
  });
});
