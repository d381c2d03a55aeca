import { randomUUID } from "node:crypto";
import { createSession, defineTool } from "@toolkeep/core";
import { osUser } from "@toolkeep/node/internal";
import type { Command } from "commander";
import { durationOf, minutesUntil } from "../project/pause/duration.ts";
import { ALL_PROJECTS, type Pause, readPauses, setPause } from "../project/pause/pauses.ts";
import { readProject } from "../project/read-project.ts";
import { withStore } from "../project/store/with-store.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, confirmed, openTerminal, type Terminal } from "../terminal/terminal.ts";
import { userName } from "../terminal/user-name.ts";

/** `toolkeep pause`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("pause", (command) => runPause(optionsOf(command)));
}

interface PauseOptions extends CommonOptions {
  readonly time?: string;
  readonly end?: boolean;
  readonly all?: boolean;
  readonly project?: string;
  readonly yes?: boolean;
}

async function runPause(options: PauseOptions): Promise<number> {
  const { time, end = false, all = false } = options;
  if (end && time !== undefined) throw usageError("--end takes no time.", "Run toolkeep pause --end");
  const terminal = openTerminal(options);
  const { root, isManaged } = await readProject({ cwd: terminal.cwd, folder: options.project });
  const key = all ? ALL_PROJECTS : root;
  if (time === undefined && !end) return showPause(root, terminal);
  if (end) return endPause(key, terminal);
  const ms = durationOf(time ?? "");
  if (isManaged)
    throw new CommandError(
      "An administrator configures the policy of this machine, so it cannot be paused.",
      {
        exit: EXIT.denied,
      },
    );
  terminal.note(CONSEQUENCES);
  const question = `Pause ${named(key)} for ${minutesUntil(ms, 0)}?`;
  await confirmed({ question, yes: options.yes, refused: "Nothing was paused." }, terminal);
  const since = Date.now();
  const pause: Pause = { since, until: since + ms, by: userName() };
  await recorded(key, pause, terminal);
  terminal.show(recordOf(key, pause), [
    `Paused in ${named(key)} until ${clock(pause)}. Run \`toolkeep pause --end${all ? " --all" : ""}\` to end it.`,
  ]);
  return EXIT.ok;
}

const CONSEQUENCES = `While paused, Toolkeep asks nothing: hooks leave calls to the client, and the gateway lets them pass.
What is denied stays denied. Calls that reach keys, publish something or change Toolkeep itself still ask.
Every call is recorded as before.`;

async function showPause(root: string, terminal: Terminal): Promise<number> {
  const pauses = await readPauses();
  const active = [root, ALL_PROJECTS].flatMap((key) => {
    const pause = pauses[key];
    return pause === undefined ? [] : [{ key, pause }];
  });
  terminal.show(
    active.map(({ key, pause }) => recordOf(key, pause)),
    active.map(
      ({ key, pause }) =>
        `Paused in ${named(key)} until ${clock(pause)}, for another ${minutesUntil(pause.until)}, by ${pause.by}.`,
    ),
  );
  if (active.length === 0) terminal.note(`Not paused. Run \`toolkeep pause 30m\` to pause ${root}.`);
  return EXIT.ok;
}

async function endPause(key: string, terminal: Terminal): Promise<number> {
  const pauses = await readPauses();
  if (pauses[key] === undefined) {
    const isOther = key !== ALL_PROJECTS && pauses[ALL_PROJECTS] !== undefined;
    throw new CommandError(`There is no pause in ${named(key)}.`, {
      ...(isOther ? { hint: "All projects are paused. Run `toolkeep pause --end --all`." } : {}),
    });
  }
  await recorded(key, undefined, terminal);
  terminal.show({ project: key, isPaused: false }, [`The pause in ${named(key)} has ended.`]);
  return EXIT.ok;
}

/** Sets or ends a pause by a call in a session of its own, so that the audit log has it. */
async function recorded(key: string, pause: Pause | undefined, terminal: Terminal): Promise<void> {
  const target = `${key} ${pause === undefined ? "ended" : `until ${new Date(pause.until).toISOString()}`}`;
  const tool = defineTool({
    name: "pause",
    description: "Pauses Toolkeep, or ends a pause.",
    inputSchema: { type: "object" },
    mode: "safe_write",
    requires: { capabilities: ["toolkeep.pause"] },
    effects: () => [{ capability: "toolkeep.pause", target: `${target} by ${userName()}` }],
    execute: async () => {
      await setPause(key, pause);
      return target;
    },
  });
  await withStore(terminal.cwd, async (store) => {
    await using session = await createSession({
      id: `pause.${randomUUID()}`,
      store,
      tools: [tool],
      principal: osUser(),
      policy: { mode: "yolo", builtIn: "off" },
    });
    const { failure } = await session.call({ id: "pause", name: "pause", arguments: {} });
    if (failure !== undefined) throw new CommandError(`The pause could not be set: ${failure.message}`);
  });
}

function named(key: string): string {
  return key === ALL_PROJECTS ? "all projects" : key;
}

function clock({ until }: Pause): string {
  return new Date(until).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

function recordOf(key: string, { since, until, by }: Pause) {
  const time = (at: number) => new Date(at).toISOString();
  return { project: key, isPaused: true, since: time(since), until: time(until), by };
}
