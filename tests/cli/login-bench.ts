import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OAuthServer } from "../../packages/mcp/src/connection/oauth/oauth-server.test.kit.ts";
import { cliBench, OWN_COMMAND } from "./cli-bench.ts";
import { gatewayClient } from "./gateway-client.ts";

/** A project with a server `docs` that needs a login, and a browser to log in with. */
export function loginBench(server: Pick<OAuthServer, "url">) {
  const bench = cliBench();
  bench.write(".mcp.json", JSON.stringify({ mcpServers: { docs: { type: "http", url: server.url } } }));
  const env = { ...bench.environment, PATH: `${fakeBrowser(bench.base)}:${bench.environment.PATH}` };
  const run = (...args: readonly string[]) => bench.run(["servers", ...args], { env });
  return {
    ...bench,
    env,
    run,
    loginsFile: join(bench.environment.TOOLKEEP_HOME, "state", "logins.json"),
    statusOfDocs: async () => JSON.parse((await run("--json")).stdout)[0].status,
    /** The names of the tools that a gateway serves, and its standard error. */
    async served() {
      const [command, ...first] = OWN_COMMAND;
      const gateway = await gatewayClient({ command, args: [...first, "gateway"], cwd: bench.project, env });
      const { tools } = await gateway.client.listTools();
      await gateway.client.close();
      return { names: tools.map(({ name }) => name), stderr: gateway.stderr() };
    },
  };
}

export type LoginBench = ReturnType<typeof loginBench>;

/** Replaces a browser whose user agrees to everything: it requests the page. */
function fakeBrowser(base: string): string {
  const folder = join(base, "browser");
  mkdirSync(folder);
  const program = join(folder, process.platform === "darwin" ? "open" : "xdg-open");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' -e 'fetch(process.argv[1])' "$1"\n`);
  chmodSync(program, 0o755);
  return folder;
}
