import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { readProject } from "../../packages/cli/src/project/read-project.ts";
import { type StartedGateway, startGateway } from "../../packages/cli/src/run/gateway/start-gateway.ts";
import { chooseServers } from "../../packages/cli/src/tools/servers/choose-servers.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

const POLICY = `
version: 1
extends: [toolkeep:recommended]
rules:
  - deny net.fetch "evil.example"
  - allow net.fetch "good.example"
  - deny shell.run "curl *"
  - allow mcp:kit:peek
  - deny mcp:kit:drop because "drops are not allowed"
`;

const SETTINGS = {
  servers: { kit: { map: "kit", files: ["/**"] } },
  maps: [
    {
      name: "kit",
      packages: ["kit"],
      tools: {
        run: { mode: "local", effects: [{ capability: "shell.run", target: "{command}" }] },
        write: { mode: "safe_write", effects: [{ capability: "fs.write", target: "{path}" }] },
        read: { mode: "read", effects: [{ capability: "fs.read", target: "{path}" }] },
        fetch: { mode: "external", effects: [{ capability: "net.fetch", target: "{host:url}" }] },
      },
    },
  ],
};

const CLIENT_FILES = [".claude.json", ".cursor/mcp.json", ".gemini/settings.json"];

function write(file: string, value: unknown) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(value), { mode: 0o600 });
}

let bench: CliBench;
let policy: string;
let command: string;
let started: StartedGateway;

beforeAll(async () => {
  bench = cliBench();
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
  vi.stubEnv("HOME", bench.home);
  policy = bench.write("rules.yaml", POLICY);
  const program = fileURLToPath(new URL("decision-server.ts", import.meta.url));
  const kit = { command: process.execPath, args: [program] };
  command = [kit.command, ...kit.args].join(" ");
  const config = join(bench.environment.TOOLKEEP_HOME, "config");
  write(join(config, "mcp.jsonc"), SETTINGS);
  // The settings of the user apply only to the user's own servers.
  for (const file of [join(config, "mcp.json"), ...CLIENT_FILES.map((one) => join(bench.home, one))])
    write(file, { mcpServers: { kit } });
  const project = await readProject({ cwd: bench.project, policyFile: policy });
  const chosen = await chooseServers(bench.project);
  started = await startGateway(project, { chosen, grants: [], onNote: () => {} });
  await started.gateway.started;
});
afterAll(async () => {
  await started.close();
  vi.unstubAllEnvs();
  bench.remove();
});

/** The gateway's decision about a call. */
async function atTheGateway(tool: string, args: Payload): Promise<string> {
  const { explanation } = await started.gateway.session.explain({
    id: "x",
    name: `kit_${tool}`,
    arguments: args,
  });
  return explanation?.decision.action ?? "deny";
}

type Client = "claude-code" | "cursor" | "gemini-cli";

async function atTheHook(client: Client, payload: Payload): Promise<string> {
  const environment = { CLAUDE_PROJECT_DIR: bench.project, GEMINI_PROJECT_DIR: bench.project };
  // Each call has its own conversation: the taint of one would apply to the next.
  const ids = { session_id: crypto.randomUUID(), conversation_id: crypto.randomUUID() };
  const own = { ...payload, ...ids, permission_mode: undefined };
  const answer = await runHook({ client, text: JSON.stringify(own), environment, policyFile: policy });
  const output = JSON.parse(answer.stdout);
  // What the recommended rules allow is left to a client.
  return output.hookSpecificOutput?.permissionDecision ?? output.permission ?? output.decision ?? "allow";
}

interface Row {
  readonly what: string;
  readonly kind: "shell" | "write" | "read" | "fetch" | "mcp";
  readonly target: (bench: CliBench) => string;
}

const inProject = (path: string) => (at: CliBench) => join(at.project, path);

const ROWS: readonly Row[] = [
  { what: "git status", kind: "shell", target: () => "git status" },
  { what: "npm publish", kind: "shell", target: () => "npm publish" },
  { what: "curl, which a rule denies", kind: "shell", target: () => "curl https://good.example" },
  { what: "a write in src", kind: "write", target: inProject("src/a.ts") },
  { what: "a write elsewhere in the project", kind: "write", target: inProject("other.txt") },
  { what: "a write into .git", kind: "write", target: inProject(".git/config") },
  { what: "a read in the project", kind: "read", target: inProject("src/a.ts") },
  { what: "a read of a key", kind: "read", target: (at) => join(at.home, ".ssh/id_rsa") },
  { what: "a read outside", kind: "read", target: () => "/etc/hosts" },
  { what: "a host that a rule allows", kind: "fetch", target: () => "https://good.example/a" },
  { what: "a host that a rule denies", kind: "fetch", target: () => "https://evil.example/a" },
  { what: "a host that no rule names", kind: "fetch", target: () => "https://other.example/a" },
  { what: "a server's tool that a rule allows", kind: "mcp", target: () => "peek" },
  { what: "a server's tool that a rule denies", kind: "mcp", target: () => "drop" },
  { what: "a server's tool that no rule names", kind: "mcp", target: () => "note" },
];

const GATEWAY_CALLS: Readonly<Record<Row["kind"], (target: string) => [string, Payload]>> = {
  shell: (command) => ["run", { command }],
  write: (path) => ["write", { path }],
  read: (path) => ["read", { path }],
  fetch: (url) => ["fetch", { url }],
  mcp: (tool) => [tool, { text: "x" }],
};

/** The recorded payload of a client, with this target. */
function payloadFor(client: Client, { kind, target }: Row): Payload {
  const recorded = payloadsOf(client, bench);
  const about = target(bench);
  const base = (recorded[kind] ?? recorded["write"]) as Payload;
  if (kind === "mcp") return remotePayload(client, { base, tool: about });
  if (client === "cursor" && kind === "shell") return { ...base, command: about };
  if (client === "cursor" && kind === "read") return { ...base, file_path: about };
  if (client === "cursor" && kind === "fetch")
    return { ...base, tool_name: "WebFetch", tool_input: { url: about } };
  if (kind === "shell") return withInput(base, { command: about });
  if (kind === "fetch")
    return withInput(base, client === "gemini-cli" ? { prompt: `Read ${about}` } : { url: about });
  return withInput(base, { file_path: about });
}

function remotePayload(client: Client, { base, tool }: { base: Payload; tool: string }): Payload {
  const input = { tool_input: { text: "x" } };
  if (client === "claude-code") return { ...base, ...input, tool_name: `mcp__kit__${tool}` };
  if (client === "cursor") return { ...base, ...input, tool_name: `MCP:kit:${tool}`, command };
  const [program, ...args] = command.split(" ");
  const context = { server_name: "kit", tool_name: tool, command: program, args };
  return { ...base, ...input, tool_name: `mcp_kit_${tool}`, mcp_context: context };
}

/** Cursor cannot ask about reads and in `preToolUse`. */
const cannotAsk = (client: Client, kind: Row["kind"]) =>
  client === "cursor" && (kind === "write" || kind === "read" || kind === "fetch");

const seen = new Set<string>();

describe.each(["claude-code", "cursor", "gemini-cli"] as const)(
  "the hook of %s decides as the gateway",
  (client) => {
    test.each(ROWS)("about $what", async (row) => {
      const decided = await atTheGateway(...GATEWAY_CALLS[row.kind](row.target(bench)));
      seen.add(decided);
      const expected = decided === "ask" && cannotAsk(client, row.kind) ? "deny" : decided;
      expect(await atTheHook(client, payloadFor(client, row))).toBe(expected);
    });
  },
);

test("the table contains every decision", () => {
  expect([...seen].toSorted()).toEqual(["allow", "ask", "deny"]);
});
