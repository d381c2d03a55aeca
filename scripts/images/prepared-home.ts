import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { OWN_COMMAND } from "../../tests/cli/cli-bench.ts";
import { decidersOf } from "../../tests/cli/decider-bench.ts";
import { fakeNpx } from "../../tests/cli/fake-npx.ts";
import { type GatewayClient, gatewayClient } from "../../tests/cli/gateway-client.ts";
import { inTerminal } from "../../tests/cli/pseudo-terminal.ts";
import { layWeek } from "./lay-week.ts";

/** As long as the path of the home, so that columns stay where they are. It is not in /tmp, which has rules of its own. */
const SHOWN_HOME = "/home/grace";
const SHOWN_PROGRAM = "/usr/local/lib/node_modules/toolkeep/dist/main.js";

const SERVERS = {
  mcpServers: {
    filesystem: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] },
  },
};
const ENTRY = { command: "toolkeep", args: ["gateway", "--wrap", "filesystem"] };

/** The end of the last line of a prompt. */
const KEYS = "[?] explain";
const LONGEST_MS = 100_000;

const FILES = {
  "package.json":
    '{ "name": "shop", "scripts": { "test": "node --test", "build": "node scripts/build.js", "dev": "node src/server.js" } }\n',
  "src/cart.js": "export {};\n",
  "test/cart.test.js": "",
  "README.md": "# shop\n",
  "scripts/build.js": "",
  "src/server.js": "",
  "node_modules/.bin/eslint": "#!/bin/sh\n",
  "node_modules/.bin/tsc": "#!/bin/sh\n",
  Makefile: "lint:\n\ttrue\n",
  ".mcp.json": `${JSON.stringify(SERVERS, undefined, 2)}\n`,
};

/** A home with histories of clients and a project, in which command lines are shown. */
export function preparedHome() {
  const home = mkdtempSync("/srv/");
  const project = join(home, "shop");
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text, { mode: path.includes("/.bin/") ? 0o755 : 0o644 });
  }
  execFileSync("git", ["init", "-q", "-b", "main", project]);
  layWeek(home, project);
  const tools = mkdtempSync("/tmp/");
  const env = {
    ...{ HOME: home, LANG: "C.UTF-8", TERM: "xterm-256color" },
    PATH: `${fakeNpx(tools)}:/usr/bin:/bin`,
  };
  /** What a terminal receives from a line; with a key, until it is asked for one. */
  const run = async (line: string, columns: number, key?: string) => {
    const typing = key === undefined ? [] : [{ after: KEYS, keys: key, isPressed: true } as const];
    const { shown } = await inTerminal(
      `stty cols ${columns} rows 200; ${line}`,
      ...([typing, { cwd: project, env }, LONGEST_MS] as const),
    );
    const asked = shown.indexOf(KEYS);
    const received = asked === -1 ? shown : shown.slice(0, shown.indexOf("\n", asked));
    return received.replaceAll(home, SHOWN_HOME).replaceAll(OWN_COMMAND[1], SHOWN_PROGRAM);
  };
  let isGuarded = false;
  let served: GatewayClient | undefined;
  return {
    show: run,
    /** Installs Toolkeep in the project, and lets the first hook start the process that decides. */
    async guard() {
      if (!isGuarded) await run("toolkeep init --yes && toolkeep doctor", 100);
      isGuarded = true;
    },
    /** A call of a client to its server, which waits for an approval. */
    async ask() {
      served = await gatewayClient({ ...ENTRY, cwd: project, env });
      const { client } = served;
      while ((await client.listTools()).tools.length < 2) await wait(200);
      served.call("write_file", { path: join(project, "Makefile"), content: "all: build\n" }).catch(() => {});
      while (!(await run("toolkeep approvals list --json", 100)).includes("write_file")) await wait(200);
    },
    async [Symbol.asyncDispose]() {
      await served?.client.close();
      for (const pid of decidersOf(join(home, ".local/state/toolkeep/run"))) process.kill(pid);
      for (const folder of [home, tools]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
