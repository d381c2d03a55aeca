import { rmSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import type { InstallClientName } from "../../packages/cli/src/clients/install-client.ts";
import { installTarget } from "../../packages/cli/src/clients/installed/install-record.ts";
import { writeLauncher } from "../../packages/cli/src/clients/installed/launcher.ts";
import { installedCommand } from "../../packages/cli/src/clients/installed/own-command.ts";
import type { Played } from "../../packages/cli/src/install/doctor/play-call.ts";
import { nextStep } from "../../packages/cli/src/install/install-step.ts";
import { type CliBench, OWN_COMMAND } from "./cli-bench.ts";
import { hookBench, writeHome } from "./hook-bench.ts";

/** A project in which the program is installed for these clients, as `toolkeep init` does it. */
export async function doctorBench(...clients: readonly InstallClientName[]): Promise<CliBench> {
  const bench = hookBench();
  // Without the clients of this machine.
  vi.stubEnv("PATH", "/usr/bin:/bin");
  for (const name of [
    "CODEX_HOME",
    "COPILOT_HOME",
    "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR",
    "TOOLKEEP_DECIDER",
  ])
    vi.stubEnv(name, undefined);
  await writeLauncher(OWN_COMMAND);
  for (const client of clients) await install(bench, client);
  trustCodexHooks(bench);
  return bench;
}

export async function install({ project }: CliBench, client: InstallClientName, confines = false) {
  const wanted = { client, own: installedCommand(), single: false, trustsScripts: true, confines };
  const step = await nextStep({ ...wanted, shares: false, record: undefined }, installTarget(project));
  await step?.apply();
}

/** As Codex records hooks that its user trusts. */
function trustCodexHooks(bench: CliBench): void {
  const file = join(bench.project, ".codex", "hooks.json");
  const states = ["pre_tool_use", "permission_request", "post_tool_use"].map(
    (event) => `[hooks.state."${file}:${event}:0:0"]\ntrusted_hash = "sha256:0"\n`,
  );
  writeHome(bench, ".codex/config.toml", states.join("\n"));
}

/** For defects that are found without the hook: it stops the call. */
export const stops = async (): Promise<Played> => ({ outcome: "stopped", ms: 1, reason: "" });

export const working = async () => ({
  isolation: "files-and-network" as const,
  sandboxes: [],
  advice: "",
});

export function removeBench(bench: CliBench): void {
  vi.unstubAllEnvs();
  rmSync(bench.base, { recursive: true, force: true });
}
