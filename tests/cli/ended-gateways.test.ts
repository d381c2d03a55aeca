import { afterEach, beforeEach, expect, test } from "vitest";
import { acceptServers } from "./accept-servers.ts";
import { type CliBench, cliBench, OWN_COMMAND } from "./cli-bench.ts";
import { fakeNpx } from "./fake-npx.ts";
import { gatewayClient } from "./gateway-client.ts";

let bench: CliBench;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  bench = cliBench();
  env = { ...bench.environment, PATH: `${fakeNpx(bench.base)}:${bench.environment.PATH}` };
  const notes = { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] };
  bench.write(".mcp.json", JSON.stringify({ mcpServers: { notes } }));
  await acceptServers(bench, ["notes"]);
});
afterEach(() => bench.remove());

const listed = async (...more: string[]): Promise<readonly { readonly id: string }[]> =>
  JSON.parse((await bench.run(["approvals", "--json", ...more], { env })).stdout);

async function untilListed(): Promise<string> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const [first] = await listed();
    if (first !== undefined) return first.id;
  }
  throw new Error("Nothing is pending.");
}

test("[editor 6] requests of a gateway that was killed are not listed as pending, and can be rejected once", async () => {
  const [command, ...first] = OWN_COMMAND;
  const args = [...first, "gateway"];
  const served = await gatewayClient({ command, args, cwd: bench.project, env });
  const calling = served.call("notes_create_entities", { entities: [] }).catch(() => undefined);
  const id = await untilListed();
  if (served.pid === null) throw new Error("The gateway has no process id.");
  process.kill(served.pid, "SIGKILL");
  await calling;
  expect(await listed()).toEqual([]);
  expect((await bench.run(["approvals"], { env })).stderr).toContain(
    "Requests of gateways that have ended: 1.",
  );
  expect(await listed("--ended")).toMatchObject([{ id }]);
  expect(await bench.run(["approvals", "reject", id, "--yes"], { env })).toMatchObject({ code: 0 });
  expect(await listed("--ended")).toEqual([]);
  expect(await bench.run(["approvals", "reject", id, "--yes"], { env })).toMatchObject({ code: 1 });
  await served.client.close();
});
