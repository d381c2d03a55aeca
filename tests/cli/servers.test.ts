import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acceptServers } from "./accept-servers.ts";
import { type CliBench, cliBench, OWN_COMMAND } from "./cli-bench.ts";
import { fakeNpx } from "./fake-npx.ts";
import { gatewayClient } from "./gateway-client.ts";
import { writePolicy } from "./hook-bench.ts";

let bench: CliBench;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  bench = cliBench();
  env = { ...bench.environment, PATH: `${fakeNpx(bench.base)}:${bench.environment.PATH}` };
});
afterEach(() => bench.remove());

async function configured(mcpServers: Readonly<Record<string, { command: string; args: string[] }>>) {
  bench.write(".mcp.json", JSON.stringify({ mcpServers }));
  await acceptServers(bench, Object.keys(mcpServers));
}

const node = (code: string) => ({ command: process.execPath, args: ["-e", code] });

describe("[editor 12] toolkeep servers", () => {
  test("says that it starts servers, and does not wait for one that hangs", async () => {
    await configured({
      hangs: node("setInterval(() => {}, 1000)"),
      stays: node("setInterval(() => {}, 1000)"),
      notes: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] },
    });
    const { code, stdout, stderr } = await bench.run(["servers"], { env });
    expect(code).toBe(0);
    expect(stderr).toContain("Starting hangs, stays, notes");
    // On a machine that is very slow, the third one is not there in time either.
    const late = /Not started within 10 seconds: (.*?)\./.exec(stderr)?.[1]?.split(", ") ?? [];
    expect(late.slice(0, 2)).toEqual(["hangs", "stays"]);
    expect(stdout).toContain(late.includes("notes") ? "notes  connecting" : "notes  ready");
  });

  test("reports in sentences why a server ended", async () => {
    await configured({ broken: node("process.exit(3)") });
    const { stdout } = await bench.run(["servers"], { env });
    expect(stdout).toContain("It ended with exit code 3.");
    expect(stdout).not.toMatch(/[a-z] It ended/);
  });
});

test("[editor B4] a rule that names a server almost as it is called is reported", async () => {
  bench.write(".mcp.json", JSON.stringify({ mcpServers: { filesystem: { command: "false" } } }));
  const rules = ["deny mcp:filesytem:write_file", "deny mcp:filesystem:write_file", "deny mcp:github:*"];
  writePolicy(bench, `version: 1\nrules:\n${rules.map((rule) => `  - ${rule}\n`).join("")}`);
  const { stderr } = await bench.run(["servers"], { env });
  expect(stderr.match(/Did you mean "filesystem"\?/g)).toHaveLength(1);
  expect(stderr).toContain("policy.yaml:3");
});

test("[editor 10] a path that a server's tool does not reach is refused in plain words", async () => {
  const files = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", bench.project] };
  await configured({ files });
  const [command, ...first] = OWN_COMMAND;
  const served = await gatewayClient({ command, args: [...first, "gateway"], cwd: bench.project, env });
  try {
    const { text, isError } = await served.call("files_read_text_file", { path: "/etc/hosts" });
    expect(isError).toBe(true);
    expect(text).toContain("/etc/hosts");
    expect(text).toContain("The user can name more paths under `files` in the settings of the server.");
    expect(text).not.toMatch(/ad-hoc|variables|stands for/);
  } finally {
    await served.client.close();
  }
});
