import { join, resolve } from "node:path";
import { type Effect, ToolFailure } from "@toolkeep/core";
import { errorText } from "@toolkeep/core/internal";
import type {
  Command,
  CommandOutcome,
  ContainedOutcome,
  Containment,
  Grant,
  LineOnDisk,
  MayContain,
  Sandbox,
} from "@toolkeep/core/ports";
import type { AttachableCommands } from "../processes/guarded-commands.ts";
import type { Spawner } from "../processes/spawner.ts";
import { isContainable } from "../sandbox/contain/containable.ts";
import { type ContainOptions, containmentOf } from "../sandbox/contain/containment-of.ts";
import { askedLines, trailer } from "../sandbox/contain/trailer.ts";

/** How commands of one session are contained, and what they did. */
export interface ContainedCommands {
  readonly mayContain: MayContain;
  /** What a line did when it ran contained, if its next call is to be asked about. */
  seen(line: Pick<LineOnDisk, "line" | "folder">): readonly Effect[];
  /** `undefined` for a command that runs as without containment. */
  containmentFor(grant: Grant, command: Command): Containment | undefined;
  /** The same commands; their outcomes say what became of them. */
  saying(grant: Grant, commands: AttachableCommands): AttachableCommands;
}

interface Parts {
  readonly sandbox: Sandbox;
  readonly roots: readonly [string, ...string[]];
  readonly spawner: Spawner;
  readonly contain: ContainOptions;
  /** A folder that is removed with the workspace. */
  readonly proxies: string;
  onNote?(note: string): void;
}

export function containedCommands(parts: Parts, works: () => Promise<boolean>): ContainedCommands {
  const { contain, roots } = parts;
  const [root] = roots;
  /** What each call was that runs contained, by its id. */
  const calls = new Map<string, string>();
  /** Calls that ask from now on. */
  const asking = new Set<string>();
  const seen = new Map<string, readonly Effect[]>();
  const outcomes = new WeakMap<Command, ContainedOutcome>();
  const lineKey = ({ line, folder = root }: Pick<LineOnDisk, "line" | "folder">) =>
    JSON.stringify([line, resolve(root, folder)]);

  function remember(callId: string, command: Command, outcome: ContainedOutcome): void {
    outcomes.set(command, outcome);
    if (askedLines(keepable(outcome, contain)).length === 0) return;
    asking.add(calls.get(callId) ?? "");
    if ("line" in command)
      seen.set(lineKey({ line: command.line, folder: command.cwd ?? root }), outcome.seen);
  }

  return {
    async mayContain({ id, found, argsText }, explanation) {
      const call = `${found.name} ${argsText}`;
      if (asking.has(call) || !isContainable(explanation, roots)) return false;
      // Where every command runs contained or not at all, there is nothing to choose.
      if (contain.commands !== "all" && !(await works())) return false;
      calls.set(id, call);
      return true;
    },
    seen: (line) => seen.get(lineKey(line)) ?? [],
    containmentFor(grant, command) {
      if (grant.contained !== true && contain.commands !== "all") return undefined;
      const through = contain.commands === "all" && contain.through === true;
      const onOutcome = (outcome: ContainedOutcome, callId: string) => {
        remember(callId, command, outcome);
        contain.onOutcome?.(outcome, callId);
      };
      const containment = containmentOf(grant, command, { ...lasting(parts), through, onOutcome }, root);
      return contain.keptFor === undefined ? { ...containment, temporary: "session" } : containment;
    },
    saying(grant, commands) {
      if (grant.contained !== true) return commands;
      /** Whatever went wrong, the next call asks. */
      const failed = (error: unknown): never => {
        asking.add(calls.get(grant.callId) ?? "");
        if (!ToolFailure.isInstance(error) || error.code !== "unavailable") throw error;
        const hint = "Call it again: the user is asked.";
        throw new ToolFailure("unavailable", error.message, { hint, cause: error });
      };
      return {
        ...commands,
        run: async (command) =>
          said(await commands.run(command).catch(failed), outcomes.get(command), contain),
      };
    },
  };
}

function said(
  end: CommandOutcome,
  outcome: ContainedOutcome = NOTHING,
  contain: ContainOptions,
): CommandOutcome {
  const text = trailer(keepable(outcome, contain));
  const note = [end.note, text].filter((one) => one !== undefined).join(" ");
  return { ...end, isContained: true, ...(note === "" ? {} : { note }) };
}

/** `toolkeep keep` looks in the folder of the user. */
function keepable({ number, ...became }: ContainedOutcome, { folder }: ContainOptions): ContainedOutcome {
  return folder === undefined && number !== undefined ? { ...became, number } : became;
}

/** The place ends with the workspace, or with its process: then the spawner ends. */
function lasting({ contain, spawner }: Parts): ContainOptions {
  return { ...contain, keptFor: contain.keptFor ?? [spawner.pid ?? process.pid] };
}

const NOTHING: ContainedOutcome = { kept: [], held: [], refused: [], pretended: [], seen: [] };

/** Whether commands can be contained here: one is, once. */
export function containmentProof(parts: Parts): () => Promise<boolean> {
  let proof: Promise<boolean> | undefined;
  return () => (proof ??= proven(parts));
}

async function proven(parts: Parts): Promise<boolean> {
  const { sandbox, roots, spawner, proxies, onNote } = parts;
  if (sandbox.contains !== true) return false;
  try {
    const command = await sandbox.wrap(["/usr/bin/true"], {
      ...{ read: roots, write: roots, guarded: [], hidden: [], hosts: [], environment: {}, cwd: roots[0] },
      contained: containmentOf(
        { callId: "" },
        { argv: ["true"] },
        { ...lasting(parts), onOutcome() {} },
        roots[0],
      ),
    });
    const streams = { outputPath: join(proxies, "proof"), outputLimit: 4_096 };
    const end = await (await spawner.start({ command, streams })).ended;
    await command.done?.(end);
    return end.exitCode === 0;
  } catch (error) {
    onNote?.(`Commands are not contained here: ${errorText(error)}`);
    return false;
  }
}
