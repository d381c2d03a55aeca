import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { OWN_COMMAND } from "../../tests/cli/cli-bench.ts";
import { decidersOf } from "../../tests/cli/decider-bench.ts";
import { fakeNpx } from "../../tests/cli/fake-npx.ts";
import { layHistories } from "../../tests/cli/lay-histories.ts";
import { inTerminal } from "../../tests/cli/pseudo-terminal.ts";

/** As long as the path of the temporary home, so that columns stay where they are. */
const SHOWN_HOME = "/home/grace";
const SHOWN_PROGRAM = "/usr/local/lib/node_modules/toolkeep/dist/main.js";

const SERVERS = {
  mcpServers: {
    filesystem: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] },
  },
};
const FILES = {
  "package.json": '{ "name": "shop", "scripts": { "test": "node --test", "build": "node build.js" } }\n',
  "src/cart.js": "export {};\n",
  "test/cart.test.js": "",
  Makefile: "lint:\n\ttrue\n",
  ".mcp.json": `${JSON.stringify(SERVERS, undefined, 2)}\n`,
};

/** A home with histories of clients and a project, in which command lines are shown. */
export async function preparedHome() {
  const home = mkdtempSync("/tmp/");
  const project = join(home, "shop");
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  execFileSync("git", ["init", "-q", "-b", "main", project]);
  layHistories(home, ["claude-code", "codex"]);
  const tools = mkdtempSync("/tmp/");
  const env = {
    ...{ HOME: home, LANG: "C.UTF-8", TERM: "xterm-256color" },
    PATH: `${fakeNpx(tools)}:/usr/bin:/bin`,
  };
  const run = async (line: string, columns: number) => {
    const { shown } = await inTerminal(`stty cols ${columns} rows 200; ${line}`, [], { cwd: project, env });
    return shown.replaceAll(home, SHOWN_HOME).replaceAll(OWN_COMMAND[1], SHOWN_PROGRAM);
  };
  let isGuarded = false;
  return {
    show: run,
    /** Installs Toolkeep in the project, and lets the first hook start the process that decides. */
    async guard() {
      if (!isGuarded) await run("toolkeep init --yes && toolkeep doctor", 100);
      isGuarded = true;
    },
    [Symbol.dispose]: () => {
      for (const pid of decidersOf(join(home, ".local/state/toolkeep/run"))) process.kill(pid);
      for (const folder of [home, tools]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
