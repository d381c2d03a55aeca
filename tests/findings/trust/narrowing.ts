import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createProjectTrust, readConfig } from "@toolkeep/node";
import { trustCommand } from "../../../packages/cli/src/commands/trust.ts";
import { runHook } from "../../../packages/cli/src/hooks/answer/run-hook.ts";
import { readProject } from "../../../packages/cli/src/project/read-project.ts";

/** Which rules of a project's policy apply before and after a change, without an approver. */
export interface Counts {
  readonly before: string;
  readonly after: string;
  /** Whether the notes say what to type. */
  readonly isTold: boolean;
}

interface Scene {
  place?(at: Place): void;
  change(at: Place): void;
  readonly cwd?: string;
}

interface Place {
  readonly base: string;
  readonly project: string;
  put(name: string, text: string): void;
}

const RULES = ["allow fs.write", "ask net.fetch", "deny shell.run"];
const policy = (rules: readonly string[]) =>
  `version: 1\nrules:\n${rules.map((rule) => `  - '${rule}'\n`).join("")}`;
const TOOL = (from: string) =>
  `import { defineTool } from "@toolkeep/core"; import * as x from "${from}"; export default defineTool({ name: "t", description: "x", requires: {}, inputSchema: { type: "object" }, execute: () => String(x) });`;

const named = ({ put }: Place) => {
  put(".toolkeep/config.jsonc", '{ "policy": "../src/rules.yaml" }');
  put("src/rules.yaml", policy(RULES));
};
const rules =
  (text: string) =>
  ({ put }: Place) =>
    put("src/rules.yaml", text);

const SCENES: Readonly<Record<string, Scene>> = {
  "one letter": { change: ({ project }) => appendFileSync(join(project, "src/rules.yaml"), "# x\n") },
  "a deny is gone": { change: rules(policy(["allow fs.write", "allow shell.run"])) },
  "a deny is added": { change: rules(policy([...RULES, "deny fs.delete"])) },
  "an empty policy": { change: rules("version: 1\n") },
  "no policy at all": { change: rules("][ no yaml") },
  "the file is gone": { change: ({ project }) => unlinkSync(join(project, "src/rules.yaml")) },
  "a folder in its place": {
    change: ({ project }) => {
      unlinkSync(join(project, "src/rules.yaml"));
      mkdirSync(join(project, "src/rules.yaml"));
    },
  },
  "everybody may write to it now": {
    change: ({ project }) => chmodSync(join(project, "src/rules.yaml"), 0o666),
  },
  "a link to another": {
    place: ({ put, project }) => {
      put(".toolkeep/config.jsonc", '{ "policy": "../src/link.yaml" }');
      put("src/rules.yaml", policy(RULES));
      put("src/other.yaml", policy(["allow shell.run"]));
      symlinkSync("rules.yaml", join(project, "src/link.yaml"));
    },
    change: ({ project }) => {
      unlinkSync(join(project, "src/link.yaml"));
      symlinkSync("other.yaml", join(project, "src/link.yaml"));
    },
  },
  "a linked configuration is emptied": {
    place: ({ put, project }) => {
      put("conf/plain.json", '{ "policy": "src/rules.yaml", "denied": ["bash"] }');
      put("src/rules.yaml", policy(RULES));
      symlinkSync("conf/plain.json", join(project, "toolkeep.json"));
    },
    change: ({ put }) => put("conf/plain.json", "{}"),
  },
  "a linked configuration is gone": {
    place: ({ put, project }) => {
      put("conf/plain.json", '{ "policy": "src/rules.yaml", "denied": ["bash"] }');
      put("src/rules.yaml", policy(RULES));
      symlinkSync("conf/plain.json", join(project, "toolkeep.json"));
    },
    change: ({ project }) => rmSync(join(project, "conf"), { recursive: true }),
  },
  "a configuration in a linked folder is gone": {
    place: ({ put, project }) => {
      put("conf/config.json", '{ "policy": "../src/rules.yaml", "denied": ["bash"] }');
      put("src/rules.yaml", policy(RULES));
      rmSync(join(project, ".toolkeep"), { recursive: true, force: true });
      symlinkSync("conf", join(project, ".toolkeep"));
    },
    change: ({ project }) => unlinkSync(join(project, "conf/config.json")),
  },
  "what a tool imports changes": {
    place: (at) => {
      named(at);
      at.put("src/lib.ts", "export const a = 1;");
      at.put(".toolkeep/tools/t.ts", TOOL("../../src/lib.ts"));
    },
    change: ({ put }) => put("src/lib.ts", "export const a = 2;"),
  },
  "a package changes": {
    place: (at) => {
      named(at);
      at.put("node_modules/pkg/package.json", '{ "name": "pkg", "main": "index.js" }');
      at.put("node_modules/pkg/index.js", "exports.a = 1");
      at.put(".toolkeep/tools/t.ts", TOOL("pkg"));
    },
    change: ({ put }) => put("node_modules/pkg/index.js", "exports.a = 2"),
  },
  "a configuration is added further down": {
    cwd: "sub",
    change: ({ put }) => {
      put("sub/toolkeep.json", '{ "policy": "more.yaml", "tools": { "bash": { "shell": "/evil" } } }');
      put("sub/more.yaml", policy(["allow shell.run", "deny fs.delete"]));
    },
  },
};

export async function narrowing(): Promise<Readonly<Record<string, Counts>>> {
  const found: Record<string, Counts> = {};
  for (const [name, scene] of Object.entries(SCENES)) found[name] = await counts(scene);
  return found;
}

async function counts({ place = named, change, cwd = "." }: Scene): Promise<Counts> {
  const at = newPlace();
  mkdirSync(join(at.project, cwd), { recursive: true });
  place(at);
  const folder = join(at.project, cwd);
  await readConfig({ cwd: folder, trust: createProjectTrust({ decide: () => "trust" }) });
  const before = await shown(folder);
  change(at);
  const after = await shown(folder);
  return { before: before.text, after: after.text, isTold: after.isTold };
}

async function shown(cwd: string) {
  try {
    const { policy: read, notes, config } = await readProject({ cwd });
    const all = read.rules ?? [];
    const isRecommended = all.some(({ at, action }) => action === "allow" && at === "toolkeep:recommended");
    const own = all.filter(({ at }) => at !== "toolkeep:recommended");
    const words = [...new Set(own.map(({ action, permission }) => `${action} ${permission}`))].toSorted();
    return {
      text: [...words, ...config.denied, ...(isRecommended ? [] : ["without the recommended"])].join(", "),
      isTold: notes.some((note) => note.includes("toolkeep trust --project /")),
    };
  } catch (error) {
    return { text: `void: ${(error as Error).message.split("refused: ").at(-1)}`, isTold: false };
  }
}

function newPlace(): Place {
  const base = realpathSync(mkdtempSync("/tmp/narrow-"));
  process.env["HOME"] = join(base, "home");
  process.env["TOOLKEEP_HOME"] = join(base, "home/toolkeep");
  const project = join(base, "project");
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  };
  for (const name of ["project/.git", "elsewhere", "home"]) mkdirSync(join(base, name), { recursive: true });
  return { base, project, put };
}

/** A policy that could not be read when the project was trusted does not apply, whatever it says later. */
export async function unread(): Promise<Readonly<Record<string, readonly string[]>>> {
  const shapes: Readonly<Record<string, (at: Place) => string>> = {
    "a link out": ({ base, project }) => {
      mkdirSync(join(project, "src"));
      symlinkSync("../../elsewhere/rules.yaml", join(project, "src/rules.yaml"));
      return join(base, "elsewhere/rules.yaml");
    },
    "everybody may write to it": ({ put, project }) => {
      put("src/rules.yaml", "");
      chmodSync(join(project, "src/rules.yaml"), 0o666);
      return join(project, "src/rules.yaml");
    },
    "too large": ({ put, project }) => {
      put("src/rules.yaml", `# ${"x".repeat(1_000_000)}`);
      return join(project, "src/rules.yaml");
    },
    missing: ({ put, project }) => {
      put("src/lib.ts", "");
      return join(project, "src/rules.yaml");
    },
  };
  const found: Record<string, readonly string[]> = {};
  for (const [name, place] of Object.entries(shapes)) {
    const at = newPlace();
    at.put(".toolkeep/config.jsonc", '{ "policy": "../src/rules.yaml" }');
    const target = place(at);
    if (name === "a link out" || name === "everybody may write to it")
      writeFileSync(target, policy(["deny shell.run"]));
    await readConfig({ cwd: at.project, trust: createProjectTrust({ decide: () => "trust" }) });
    const before = (await shown(at.project)).text;
    writeFileSync(target, policy(["allow shell.run"]));
    found[name] = [before, (await shown(at.project)).text];
  }
  return found;
}

/** The same through the program, as a client's hook, and once the change is trusted. */
export async function throughHook(): Promise<readonly string[]> {
  const at = newPlace();
  named(at);
  await readConfig({ cwd: at.project, trust: createProjectTrust({ decide: () => "trust" }) });
  const call = async (tool_name: string, tool_input: object) => {
    const payload = {
      ...{ session_id: "s", transcript_path: "/x", cwd: at.project, hook_event_name: "PreToolUse" },
      ...{ tool_name, tool_input, permission_mode: "auto" },
    };
    const text = JSON.stringify(payload);
    const { stdout } = await runHook({
      client: "claude-code",
      text,
      environment: process.env,
      folder: at.project,
    });
    // What the recommended rules allow is left to the client.
    const { permissionDecision = "allow", permissionDecisionReason = "" } =
      JSON.parse(stdout).hookSpecificOutput ?? {};
    const isTold = permissionDecisionReason.includes("toolkeep trust --project");
    return `${permissionDecision}${isTold ? ", told" : ""}`;
  };
  appendFileSync(join(at.project, "src/rules.yaml"), "# one letter\n");
  // The recommended rules say nothing of it.
  const write = { file_path: join(at.base, "elsewhere/a.txt"), content: "" };
  const decisions = [await call("Bash", { command: "ls" }), await call("Write", write)];
  const asked = await trustCommand({ cwd: at.project, quiet: true }).catch(({ exit }) => exit);
  const main = join(import.meta.dirname, "../../../packages/cli/src/main.ts");
  const words = ["--conditions=@toolkeep/source", "--no-warnings", main, "trust", "--yes"];
  const { status } = spawnSync(process.execPath, words, { cwd: at.project, env: process.env });
  return [...decisions, `asked ${asked}`, `trusted ${status}`, await call("Write", write)];
}
