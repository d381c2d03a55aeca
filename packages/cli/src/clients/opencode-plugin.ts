import { CLEARED } from "./hook-line.ts";

/** The client waits for a plugin without an end. A hook takes at most 27 seconds. */
const LONGEST_MS = 30_000;

/**
 * The plugin of opencode for one project. It loads nothing but what Node itself has, and does nothing that can fail
 * when it is loaded. Whatever fails afterwards refuses the call.
 * @param own How the program is started.
 */
export function opencodePlugin(own: readonly string[], project: string): string {
  const command = [...own, "hook", "opencode", "--project", project];
  return `// Written by \`toolkeep init opencode\`. Remove it with \`toolkeep uninstall opencode\`.
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";

const PROJECT = ${JSON.stringify(project)};
const COMMAND = ${JSON.stringify(command)};
// What loads code into Node.js is not passed on.
const CLEARED = ${JSON.stringify(CLEARED)};
const LONGEST_MS = ${LONGEST_MS};
const REFUSED = "Toolkeep gave no answer, so this call is refused. Run \`toolkeep init opencode\` in the project.";

${ASKING}
${HOOKS}`;
}

const ASKING = `// opencode loads the plugins of the user in every folder.
function isInProject(folder) {
  try {
    return (realpathSync(folder) + "/").startsWith(PROJECT + "/");
  } catch {
    return true;
  }
}

function answerTo(request) {
  return new Promise((resolve, reject) => {
    const [program, ...args] = COMMAND;
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !CLEARED.includes(name)));
    const child = spawn(program, args, { cwd: request.directory, env, stdio: ["pipe", "pipe", "pipe"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8");
      child[name].on("data", (text) => {
        texts[name] += text;
      });
    }
    child.on("error", () => {
      clearTimeout(timer);
      reject(new Error(REFUSED));
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(texts.stdout);
      else reject(new Error(texts.stderr.trim() || REFUSED));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(request));
  });
}
`;

const HOOKS = `export const Toolkeep = async ({ directory }) => {
  if (!isInProject(directory)) return {};
  const parents = new Map();
  const rootOf = (id, left = 100) => (parents.has(id) && left > 0 ? rootOf(parents.get(id), left - 1) : id);
  return {
    event: async ({ event }) => {
      const info = event?.properties?.info;
      if (/^session\\.(created|updated)$/.test(event?.type) && info?.parentID) parents.set(info.id, info.parentID);
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const { args } = output;
      const called = { tool, sessionID, rootID: rootOf(sessionID), callID, directory, args };
      const answer = JSON.parse(await answerTo({ event: "tool.execute.before", ...called })) ?? {};
      if (answer.action === "none") return;
      if (answer.action === "replace" && typeof args.command === "string" && answer.args?.command) {
        args.command = answer.args.command;
        return;
      }
      throw new Error(answer.action === "deny" && answer.reason ? answer.reason : REFUSED);
    },
    // A report: the client does not wait for it, and nothing depends on it.
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const called = { tool, sessionID, rootID: rootOf(sessionID), callID, directory, args };
      const exit = output?.metadata?.exit;
      answerTo({ event: "tool.execute.after", ...called, exit }).catch(() => {});
    },
  };
};
`;
