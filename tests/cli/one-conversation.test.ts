import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLIENTS } from "../../packages/cli/src/clients/install-client.ts";
import { localCommand } from "../../packages/cli/src/clients/installed/own-command.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { FROM_SOURCE } from "../from-source.ts";
import { acceptServers } from "./accept-servers.ts";
import { type CliBench, OWN_COMMAND } from "./cli-bench.ts";
import { type GatewayClient, gatewayClient } from "./gateway-client.ts";
import { hookBench, writeHome, writePolicy } from "./hook-bench.ts";

const SERVER = fileURLToPath(new URL("decision-server.ts", import.meta.url));
const KIT = { command: process.execPath, args: [...FROM_SOURCE, SERVER] };
const FILES = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/"] };
/** Only what a conversation has done before can ask. */
const ALL =
  'version: 1\nrules:\n  - "allow *"\nwatchdogs: { protected-names: off, changed-scripts: off, overreach: off }\n';

let bench: CliBench;
let gateways: GatewayClient[];
beforeEach(() => {
  bench = hookBench();
  gateways = [];
  bench.write(".env", "KEY=1");
  writePolicy(bench, ALL);
});
afterEach(async () => {
  await Promise.all(gateways.map(({ client }) => client.close()));
  vi.unstubAllEnvs();
  bench.remove();
});

let calls = 0;

async function hook(event: string, tool: string, input: object, more: object = {}) {
  calls += 1;
  const payload = {
    ...{ session_id: "one", cwd: bench.project, permission_mode: "default", hook_event_name: event },
    ...{ tool_name: tool, tool_input: input, tool_use_id: `toolu_${calls}`, ...more },
  };
  const environment = { CLAUDE_PROJECT_DIR: bench.project };
  const { stdout } = await runHook({ client: "claude-code", text: JSON.stringify(payload), environment });
  if (stdout === "") return { action: "blocked", reason: "" };
  const { permissionDecision = "none", permissionDecisionReason = "" } =
    JSON.parse(stdout).hookSpecificOutput ?? {};
  return { action: String(permissionDecision), reason: String(permissionDecisionReason) };
}

const asks = (tool: string, input: object, more?: object) => hook("PreToolUse", tool, input, more);
const readsSecret = (more?: object) => asks("Read", { file_path: join(bench.project, ".env") }, more);
const fetchesPage = (more?: object) => asks("WebFetch", { url: "https://docs.example/a", prompt: "x" }, more);
const sends = (more?: object) => asks("Bash", { command: "node src/send.js" }, more);

/** The project's servers as they are in its file, or behind the gateway as `install` writes it. */
function servers(entries: Readonly<Record<string, object>>, isWrapped: boolean): void {
  const file = JSON.stringify({ mcpServers: entries });
  if (!isWrapped) return void bench.write(".mcp.json", file);
  const wrapped = Object.keys(entries).map(
    (name) => [name, CLIENTS["claude-code"].entry(localCommand(), ["--wrap", name])] as const,
  );
  bench.write(".toolkeep/mcp.json", file);
  bench.write(".mcp.json", JSON.stringify({ mcpServers: Object.fromEntries(wrapped) }));
}

describe.each([
  ["a server of the client", false],
  ["a server behind the gateway", true],
])("%s", (_, isWrapped) => {
  test("brings content from outside into the conversation of the hook", async () => {
    servers({ kit: KIT }, isWrapped);
    await asks("mcp__kit__peek", { text: "x" });
    await readsSecret();
    const { action, reason } = await sends();
    expect(action).toBe("ask");
    expect(reason).toMatch(
      /private data away: step \d reads ".*\/\.env", .*takes in what "kit_peek" returns/,
    );
  });

  test("reads private data into it", async () => {
    servers({ files: FILES }, isWrapped);
    await asks("mcp__files__read_text_file", { path: join(bench.project, ".env") });
    await fetchesPage();
    const { action, reason } = await sends();
    expect(action).toBe("ask");
    expect(reason).toMatch(/private data away: .*reads ".*\/\.env", step \d fetches from docs\.example/);
  });

  test("gives private data by the user's settings", async () => {
    servers({ kit: KIT }, isWrapped);
    writeHome(bench, "../toolkeep/config/mcp.jsonc", '{ "servers": { "kit": { "isPrivate": true } } }');
    expect((await sends()).action).toBe("allow");
    await asks("mcp__kit__peek", { text: "x" });
    expect((await sends()).action).toBe("ask");
  });

  test("brings nothing from outside if all that it does stays here", async () => {
    servers({ files: FILES }, isWrapped);
    await asks("mcp__files__read_text_file", { path: join(bench.project, "src/a.ts") });
    await readsSecret();
    expect((await sends()).action).toBe("allow");
  });

  test("marks one conversation and no other", async () => {
    servers({ kit: KIT }, isWrapped);
    await asks("mcp__kit__peek", { text: "x" }, { session_id: "other" });
    await readsSecret();
    expect((await sends()).action).toBe("allow");
  });
});

const SECRET = ".env";
const ALL_BEHIND = { toolkeep: CLIENTS["claude-code"].entry(localCommand(), []) };

test.each<[string, object, object]>([
  ["mcp__files__read_text_file", { path: SECRET }, {}],
  ["mcp__toolkeep__files_read_text_file", { path: SECRET }, ALL_BEHIND],
  ["mcp__toolkeep__call_tool", { name: "files_read_text_file", arguments: { path: SECRET } }, ALL_BEHIND],
])("%s is read as the gateway reads it: %j", async (tool, input, entries) => {
  servers({ files: FILES }, true);
  if (Object.keys(entries).length > 0) bench.write(".mcp.json", JSON.stringify({ mcpServers: entries }));
  await asks(tool, input);
  expect((await sends()).action).toBe("allow");
  await fetchesPage();
  const { action, reason } = await sends();
  expect([action, reason]).toEqual([
    "ask",
    expect.stringMatching(/a call of files_read_text_file reads ".*\/\.env"/),
  ]);
});

test("a server of the client that may send is asked about after a secret and a page", async () => {
  servers({ kit: KIT }, false);
  await readsSecret();
  expect((await asks("mcp__kit__note", { text: "x" })).action).toBe("ask");
  await fetchesPage({ session_id: "two" });
  expect((await asks("mcp__kit__note", { text: "x" }, { session_id: "two" })).action).toBe("allow");
});

describe("a gateway that a conversation calls", () => {
  /** Every form that the user of the client sees; each is answered with yes. */
  let forms: string[];
  beforeEach(async () => {
    forms = [];
    servers({ kit: KIT }, true);
    await acceptServers(bench, ["kit"]);
  });

  async function gateway(): Promise<GatewayClient> {
    const [command, ...args] = OWN_COMMAND;
    const opened = await gatewayClient({
      ...{ command, args: [...args, "gateway", "--wrap", "kit"], cwd: bench.project, env: bench.environment },
      elicit({ message }) {
        forms.push(message);
        return { action: "accept", content: { decision: "Allow once" } };
      },
    });
    gateways.push(opened);
    return opened;
  }

  const id = "toolu_note";
  const TEXT = { text: "x" };
  const marksLeft = () => {
    const folder = join(bench.environment.TOOLKEEP_HOME, "state", "marks");
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  test("asks once what would send its private data away, and the hook does not", async () => {
    const { call } = await gateway();
    expect(await call("note", TEXT)).toMatchObject({ isError: false });
    expect(forms).toEqual([]);
    await fetchesPage();
    await readsSecret();
    expect((await asks("mcp__kit__note", TEXT, { tool_use_id: id })).action).toBe("allow");
    expect(await call("note", TEXT)).toMatchObject({ isError: false });
    expect(forms).toEqual([
      expect.stringMatching(/private data away: step 2 reads ".*\/\.env", .* and this call calls "note"/),
    ]);
  });

  test("knows nothing of it once the call is over, nor of other servers' calls", async () => {
    await fetchesPage();
    await readsSecret();
    await asks("mcp__kit__note", TEXT, { tool_use_id: id });
    expect(marksLeft()).toHaveLength(1);
    await hook("PostToolUse", "mcp__kit__note", TEXT, { tool_use_id: id, tool_response: [] });
    expect(marksLeft()).toEqual([]);
    const { call } = await gateway();
    await asks("mcp__other__note", TEXT);
    await call("note", TEXT);
    expect(await call("note", TEXT)).toMatchObject({ isError: false });
    expect(forms).toEqual([]);
  });

  test("is not called if the marks cannot be left, and not with a folder of others", async () => {
    await readsSecret();
    const folder = join(bench.environment.TOOLKEEP_HOME, "state", "marks");
    mkdirSync(folder, { mode: 0o777 });
    chmodSync(folder, 0o777);
    expect((await asks("mcp__kit__note", TEXT)).action).toBe("blocked");
    writeFileSync(join(folder, "0".repeat(40)), "{");
    const { call } = await gateway();
    await expect(call("note", TEXT)).rejects.toThrow();
  });
});
