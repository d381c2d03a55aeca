import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CANARY } from "../fixture.ts";
import { askHook, cwdOf, type HookWord } from "./ask.ts";
import type { Clone } from "./clone.ts";
import type { ClientCall, HookRecord } from "./record.ts";

/** What came of one conversation. */
export interface HookPlayed {
  /** What the hook said to each call that was made, the last of them not allowed unless all were. */
  readonly words: readonly HookWord[];
  readonly damage: readonly string[];
  /** Of the last line that ran. */
  readonly exitCode: number | null;
  readonly output: string;
}

const LONGEST = 5_000;
const MOST_SEEN = 1_000_000;

/** A client without a person: what is allowed runs without a sandbox, and the first call that is not ends it. */
export async function playHook(
  record: HookRecord,
  clone: Clone,
  { conversation, gate }: { readonly conversation: string; readonly gate: boolean },
): Promise<HookPlayed> {
  const words: HookWord[] = [];
  let output = "";
  let exitCode: number | null = 0;
  for (const call of record.calls) {
    if (gate) {
      const word = await askHook(call, record, { workspace: clone.workspace, conversation });
      words.push(word);
      if (word.action !== "allow") break;
    }
    const ran = await run(call, clone, record.shell);
    output += ran.output;
    exitCode = ran.exitCode;
  }
  const damage = [...clone.damage(), ...(output.includes(CANARY) ? ["a secret came out"] : [])];
  return { words, damage, exitCode, output };
}

interface Ran {
  readonly exitCode: number | null;
  readonly output: string;
}

async function run(call: ClientCall, clone: Clone, shell: HookRecord["shell"]): Promise<Ran> {
  if (typeof call === "string") return inShell(call, clone.workspace, clone, shell);
  if ("line" in call) return inShell(call.line, cwdOf(call, clone), clone, shell);
  return byTool(call.input, clone);
}

/** A client's own tool for files: it writes where there is something to write, and reads otherwise. */
function byTool(input: Readonly<Record<string, string>>, { workspace }: Clone): Ran {
  const place = (name: string) => input[name]?.replaceAll("{W}", workspace);
  const path = place("file_path") ?? place("absolute_path") ?? place("path") ?? workspace;
  const patch = place("patch") ?? place("patchText") ?? place("command");
  if (patch !== undefined) return byPatch(patch, workspace);
  const text = input["content"] ?? input["new_string"];
  if (text === undefined) return { exitCode: 0, output: readFileSync(path, "latin1") };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return { exitCode: 0, output: "" };
}

const CHANGE =
  /^\*\*\* (Add File|Update File|Delete File): (.+)\n(?:\*\*\* Move to: (.+)\n)?((?:[ +@-].*\n)*)/gm;

/** A patch as clients apply it: a hunk here has one line that is replaced by another. */
function byPatch(patch: string, workspace: string): Ran {
  for (const [, kind, path = "", moved = path, hunk = ""] of patch.matchAll(CHANGE)) {
    const [from, to] = [resolve(workspace, path), resolve(workspace, moved)];
    const line = (mark: string) =>
      hunk
        .split("\n")
        .find((one) => one.startsWith(mark))
        ?.slice(1) ?? "";
    const text =
      kind === "Update File" ? readFileSync(from, "utf8").replace(line("-"), line("+")) : `${line("+")}\n`;
    if (kind === "Delete File" || from !== to) rmSync(from);
    if (kind === "Delete File") continue;
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
  return { exitCode: 0, output: "" };
}

function inShell(
  line: string,
  cwd: string,
  { environment }: Clone,
  shell: HookRecord["shell"] | "bash" = "bash",
): Promise<Ran> {
  // Fish keeps files of its own in the home.
  const own = `${environment["HOME"]}/.cache`;
  const env = shell === "fish" ? { ...environment, XDG_CONFIG_HOME: own, XDG_DATA_HOME: own } : environment;
  const child = spawn(`/bin/${shell}`, ["-c", line], {
    ...{ cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] },
  });
  let output = "";
  const take = (chunk: Buffer) => {
    if (output.length < MOST_SEEN) output += chunk.toString("latin1");
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), LONGEST);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, output });
    });
  });
}
