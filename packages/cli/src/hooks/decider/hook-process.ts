import { type HookAnswer, type HookClientName, isHookClient } from "../../clients/hook-call.ts";
import { fs, os, v8 } from "../../terminal/builtin.ts";
import { blocked } from "../answer/blocked.ts";
import { timeLeft } from "../answer/hook-time.ts";
import type { HookRequest } from "../answer/run-hook.ts";
import { type Asked, askDecider } from "./ask-decider.ts";
import { frameOf } from "./frames.ts";
import { inputDeadline, readInput, writeAnswer } from "./hook-io.ts";
import { type DeciderRequest, MOST_REQUEST_BYTES, PROTOCOL } from "./protocol.ts";
import {
  isIn,
  isMoved,
  isPrivateFolder,
  makeFolder,
  runFolderOf,
  socketPathOf,
  socketState,
  stampOf,
  viewOfProcess,
} from "./run-folder.ts";

/**
 * `toolkeep hook` as a process: a client of the decider, which has everything loaded. It loads almost nothing itself,
 * because it runs before every call. It decides in process if the decider is not there.
 */
export interface HookArguments {
  readonly client: HookClientName;
  readonly folder?: string;
  readonly policyFile?: string;
}

const NAMES: Readonly<Record<string, "folder" | "policyFile">> = {
  "--project": "folder",
  "--policy": "policyFile",
};

/** Reads `hook CLIENT [--project DIR] [--policy FILE]`. `undefined` for all other forms: the program reads those. */
export function hookArguments([command, client = "", ...rest]: readonly string[]): HookArguments | undefined {
  if (command !== "hook" || !isHookClient(client) || rest.length % 2 !== 0) return undefined;
  const read: { folder?: string; policyFile?: string } = {};
  for (let index = 0; index < rest.length; index += 2) {
    const name = NAMES[rest[index] ?? ""];
    const value = rest[index + 1] ?? "";
    if (name === undefined || name in read || value === "" || value.startsWith("-")) return undefined;
    read[name] = value;
  }
  return { client, ...read };
}

/** Longer than a hook waits for its turn in the conversation. */
const ANSWER_MS = 18_000;
/** A decider that does not begin in this time is busy or hangs. */
const ACCEPT_MS = 2_000;
const RETRY_MS = 15;

/** Answers the hook and returns the exit code. @param program The file of the program. */
export async function runHookProcess(args: HookArguments, program: string): Promise<number> {
  const late = inputDeadline();
  const text = await readInput();
  late[Symbol.dispose]();
  if (text === undefined) return writeAnswer(blocked("its input is too large."));
  const request: HookRequest = { ...args, text, environment: process.env };
  const asked = await askOrStart(request, program);
  if (asked.kind === "answer") return writeAnswer(asked.answer);
  if (asked.kind === "failed") return writeAnswer(blocked(asked.reason));
  return writeAnswer(await inProcess(request));
}

/** The process ends before it would gain from code of the parsers that V8 optimizes in other threads. */
const FIRST_TIER = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];

async function inProcess(request: HookRequest): Promise<HookAnswer> {
  // `using` would not parse in an older Node, which has to say that it is too old.
  const turn = await ownTurn(request);
  try {
    for (const flag of FIRST_TIER) v8().setFlagsFromString(flag);
    const { answerInProcess } = await import("../answer/answer-in-process.ts");
    return await answerInProcess(request);
  } finally {
    turn[Symbol.dispose]();
  }
}

const REFUSED: Asked = { kind: "refused" };

/** Asks the decider; starts it if it is not there. */
async function askOrStart(request: HookRequest, program: string): Promise<Asked> {
  const target = targetOf(request, program);
  if (target === undefined) return REFUSED;
  const { path, question } = target;
  const asked = await ask(path, question);
  if (asked.kind !== "missing" && asked.kind !== "silent") return asked;
  const waitMs = await started(path, program);
  // One that hangs holds the socket until the new one has taken it over, which the next hook finds.
  if (asked.kind === "silent") return asked;
  for (const until = Date.now() + waitMs; Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    const again = await ask(path, question);
    if (again.kind !== "missing") return again;
  }
  return REFUSED;
}

async function started(path: string, program: string): Promise<number> {
  try {
    const { startDecider } = await import("./start-decider.ts");
    return startDecider({ path, program });
  } catch {
    return 0;
  }
}

type Question = Parameters<typeof askDecider>[0];

interface Target {
  readonly path: string;
  readonly question: Question;
}

/** Where to ask, and what; `undefined` if there must be no decider: the directory is not private, or the request is large. */
function targetOf(request: HookRequest, file: string): Target | undefined {
  const { client, environment, folder: project, policyFile, text } = request;
  if (process.platform === "win32" || environment["TOOLKEEP_DECIDER"] === "off") return undefined;
  try {
    const folder = isMoved(environment) ? undefined : runFolderOf(environment);
    const cwd = process.cwd();
    // A project must not answer for the decider.
    if (folder === undefined || isIn(folder, [cwd, project, ...projectsOf(environment)])) return undefined;
    makeFolder(folder);
    const program = fs().realpathSync(file);
    const path = isPrivateFolder(folder) ? socketPathOf({ folder, program }) : undefined;
    if (path === undefined || text.length > MOST_REQUEST_BYTES / 4) return undefined;
    const asking: DeciderRequest = {
      ...{ protocol: PROTOCOL, program: stampOf(program), view: viewOfProcess(), cwd, environment },
      ...{ client, text, folder: project, policyFile },
    };
    const frame = frameOf(asking);
    const limits = { acceptMs: ACCEPT_MS, answerMs: Math.min(ANSWER_MS, timeLeft().decideMs) };
    return frame.length > MOST_REQUEST_BYTES
      ? undefined
      : { path, question: { path, frame, client, ...limits } };
  } catch {
    return undefined;
  }
}

const PROJECTS = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "COPILOT_PROJECT_DIR"];

function projectsOf(environment: HookRequest["environment"]): readonly (string | undefined)[] {
  return PROJECTS.map((name) => environment[name]);
}

/** Anything but a socket of this user is left as it is. */
async function ask(path: string, question: Question): Promise<Asked> {
  const state = socketState(path);
  if (state === "ours") return askDecider(question);
  return state === "missing" ? { kind: "missing" } : REFUSED;
}

/** What is left for the decision of a hook whose turn does not come: it begins without one. */
const KEPT_MS = 6_000;
/** A process that did not end by itself leaves its turn. */
const LEFT_MS = 10_000;
const STEP_MS = 40;

/**
 * Waits for a turn among the hooks of this user that decide by themselves: as many at once as there are processors.
 * Twenty that load the program together would all be late. If the folder cannot be used, every hook begins at once.
 */
async function ownTurn({ environment }: Pick<HookRequest, "environment">): Promise<Disposable> {
  const slots = slotsIn(environment);
  try {
    while (slots.length > 0 && timeLeft().decideMs > KEPT_MS) {
      const taken = slots.find(isTaken);
      if (taken !== undefined) return { [Symbol.dispose]: () => fs().rmSync(taken, { force: true }) };
      await new Promise((resolve) => setTimeout(resolve, STEP_MS * (0.5 + Math.random())));
    }
  } catch {
    // A full disk, for example.
  }
  return { [Symbol.dispose]: () => undefined };
}

/** The files of the turns; none where there is no private folder for them. */
function slotsIn(environment: HookRequest["environment"]): readonly string[] {
  try {
    const folder = isMoved(environment) ? undefined : runFolderOf(environment);
    if (folder === undefined) return [];
    makeFolder(folder);
    if (!isPrivateFolder(folder)) return [];
    fs().accessSync(folder, fs().constants.W_OK);
    return Array.from({ length: os().availableParallelism() }, (_, index) => `${folder}/turn-${index}`);
  } catch {
    return [];
  }
}

function isTaken(slot: string): boolean {
  try {
    fs().closeSync(fs().openSync(slot, "wx", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const found = fs().lstatSync(slot, { throwIfNoEntry: false });
    if (found !== undefined && Math.abs(Date.now() - found.mtimeMs) > LEFT_MS)
      fs().rmSync(slot, { force: true });
    return false;
  }
}
