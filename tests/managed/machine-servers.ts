import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** The server that the administrator lists, and what tells that something ran. */
export const SERVER = "/run/payments/server.cjs";
const RAN = "/tmp/ran";
const FOREIGN = "/tmp/foreign";

interface Ran {
  readonly code: number | null;
  readonly out: string;
}

interface Machine {
  run(argv: readonly string[], options: { readonly cwd: string; readonly env?: Record<string, string> }): Ran;
  toolkeep(args: string, options: { readonly cwd: string }): Ran;
  repository(): string;
  readonly isWhole: boolean;
}

const TEXT = `
require("node:fs").writeFileSync("${RAN}", JSON.stringify(process.env));
const { createInterface } = require("node:readline");
const answers = {
  initialize: ({ protocolVersion }) =>
    ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "payments", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "send", description: "Sends.", inputSchema: { type: "object" } }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }) + "\\n");
});
`;

const env = { PAYMENTS_URL: "https://pay.example" };
const node = process.execPath;
const listed = { command: node, args: [SERVER], env };

/** Entries of a project for the server `payments`, and whether the administrator's list covers them. */
const ENTRIES: Readonly<Record<string, { readonly entry: object; readonly isListed: boolean }>> = {
  "exactly as listed": { entry: listed, isListed: true },
  "with any value of a variable that is listed so": {
    entry: { ...listed, env: { ...env, TOKEN: "x" } },
    isListed: true,
  },
  "another program": { entry: { command: "/tmp/evil.sh", env }, isListed: false },
  "with NODE_OPTIONS": {
    entry: { ...listed, env: { ...env, NODE_OPTIONS: "--import /tmp/x.mjs" } },
    isListed: false,
  },
  "with another address": { entry: { ...listed, env: { PAYMENTS_URL: "http://evil" } }, isListed: false },
  "without the address": { entry: { ...listed, env: {} }, isListed: false },
  "with a proxy and its certificate": {
    entry: { ...listed, env: { ...env, HTTPS_PROXY: "http://evil:1", NODE_EXTRA_CA_CERTS: "/tmp/ca" } },
    isListed: false,
  },
  "with another argument": { entry: { ...listed, args: [SERVER, "--url=http://evil"] }, isListed: false },
  "in a folder of its own": { entry: { ...listed, cwd: "/tmp" }, isListed: false },
  "with a variable in the command": {
    entry: { ...listed, command: `\${PROGRAM:-/tmp/evil.sh}` },
    isListed: false,
  },
};

const STARTING = [
  "servers accept payments --yes",
  "servers",
  "tools --connect",
  "install claude-code --yes",
  "init --yes",
];
const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
});

/** Which entries start anything, by which commands. */
export function triedServers(machine: Machine) {
  const { run, repository, isWhole } = machine;
  mkdirSync("/run/payments", { recursive: true });
  writeFileSync(SERVER, TEXT);
  writeFileSync("/tmp/x.mjs", `import { writeFileSync } from "node:fs"; writeFileSync("${FOREIGN}", "");`);
  writeFileSync("/tmp/evil.sh", `#!/bin/sh\n: > ${FOREIGN}\nexec '${node}' ${SERVER}\n`, { mode: 0o755 });
  const clear = () => {
    for (const file of [RAN, FOREIGN]) rmSync(file, { force: true });
  };
  const entries = Object.entries(ENTRIES).map(([name, { entry, isListed }]) => {
    const cwd = repository();
    writeFileSync(`${cwd}/.mcp.json`, JSON.stringify({ mcpServers: { payments: entry } }));
    const commands = isWhole || name === "another program" ? STARTING : STARTING.slice(0, 1);
    const ran = commands.map((command) => {
      clear();
      const { code, out } = machine.toolkeep(command, { cwd });
      return { command, code, out, started: [RAN, FOREIGN].filter(existsSync) };
    });
    return { name, isListed, ran };
  });
  const served = (cwd: string, program: string, more: Record<string, string> = {}) => {
    clear();
    const line = `(echo '${INITIALIZE}'; i=0; until [ -e ${RAN} ] || [ $i -gt 80 ]; do sleep 0.1; i=$((i+1)); done) | ${program} gateway --wrap payments`;
    const { out } = run(["/bin/sh", "-c", line], { cwd, env: more });
    const environment = existsSync(RAN) ? JSON.parse(readFileSync(RAN, "utf8")) : undefined;
    return { out, environment, isForeign: existsSync(FOREIGN) };
  };
  const launcher = "/etc/toolkeep/bin/toolkeep";
  const hostile = {
    NODE_OPTIONS: "--import /tmp/x.mjs",
    PATH: "/home/alice/bin:/usr/bin:/bin",
    HTTPS_PROXY: "http://evil",
  };
  return { entries, unconfigured: served(repository(), launcher, hostile) };
}
