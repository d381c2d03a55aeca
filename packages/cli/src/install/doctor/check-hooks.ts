import { joinCommand } from "@toolkeep/core/internal";
import { INSTALL_CLIENTS, type InstallClientName } from "../../clients/install-client.ts";
import {
  type InstallRecord,
  type InstallTarget,
  installTarget,
} from "../../clients/installed/install-record.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { type FoundHooks, findHooks } from "./expected-hooks.ts";
import { type Checked, type Finding, NOTHING, part, together } from "./finding.ts";
import { type Played, playCall } from "./play-call.ts";

/** A decision may take this long. A client that waits for less lets the call run, or blocks it. */
const NEEDED_SECONDS = 28;

export interface CheckHooksOptions {
  readonly project: string;
  /** Whether the policy only observes, so that nothing is stopped. */
  readonly isObserving: boolean;
  /** Default: `playCall`. */
  readonly play?: typeof playCall;
  /** Called before a call is played. */
  progress?(client: InstallClientName): void;
}

/** Looks at the hooks of every installation in a project, and plays a forbidden call through those in place. */
export async function checkHooks(options: CheckHooksOptions): Promise<Checked & Installed> {
  const target = installTarget(options.project);
  const all: Checked[] = [];
  const installed: InstallRecord[] = [];
  for (const client of INSTALL_CLIENTS) {
    try {
      const record = await target.records.read(client);
      if (record === undefined) continue;
      installed.push(record);
      all.push(await checkClient(record, target, options));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      all.push({ facts: [], findings: [invalidRecord(client, error)] });
    }
  }
  return { installed, ...together(all) };
}

interface Installed {
  /** The installations in this project. */
  readonly installed: readonly InstallRecord[];
}

function invalidRecord(client: InstallClientName, { message, hint }: CommandError): Finding {
  return part(client).gap(
    "invalid_record",
    message,
    hint ?? "Restore the file, or remove it and install again.",
  );
}

async function checkClient(
  record: InstallRecord,
  target: InstallTarget,
  { project, isObserving, progress, play = playCall }: CheckHooksOptions,
): Promise<Checked> {
  const { client } = record;
  const { is } = part(client);
  if (record.state === "writing") return is("installation not finished", unfinished(record));
  const found = await findHooks(record, target);
  if (found === undefined)
    return is("its servers are behind the gateway; it has no hooks", withoutHooks(client));
  if (found.hook === undefined) return is(`hooks ${found.state}, not tried`, notInPlace(record, found));
  progress?.(client);
  const options = { client, project, hook: found.hook };
  const first = await play(options);
  // The first call after a while starts the decider, and may be late on a busy machine where the next one is not.
  const played = first !== undefined && isLate(first) ? await play(options) : first;
  if (played === undefined) return NOTHING;
  return is(playedText(played), ...playedFindings({ record, found, played, isObserving }));
}

/** The command that installs a client again, as it is installed. */
const again = (record: InstallRecord, command: "init" | "uninstall") => {
  const { client, project, own, confines, single, shares, trustsScripts } = record;
  const kept = [
    ...(confines === true ? ["--confine"] : []),
    ...(single ? ["--single"] : []),
    ...(shares === true ? ["--shared"] : []),
    ...(own[0] === "npx" ? ["--npx"] : []),
    ...(trustsScripts === true ? [] : ["--no-trust"]),
  ];
  return joinCommand([
    "toolkeep",
    command,
    client,
    ...(command === "init" ? kept : []),
    "--project",
    project,
  ]);
};
const reinstall = (record: InstallRecord) => `${again(record, "uninstall")} && ${again(record, "init")}`;

function unfinished(record: InstallRecord): Finding {
  const message = "The last installation was interrupted, so some hooks may be missing.";
  return part(record.client).gap("install_unfinished", message, again(record, "init"));
}

function withoutHooks(client: InstallClientName): Finding {
  return part(client, "client").note(
    "client_without_hooks",
    "It has no hooks: its own tools run undecided, and only its servers are guarded.",
    "Keep its own question before each command switched on.",
  );
}

function notInPlace(record: InstallRecord, { file, state, differing, seconds }: FoundHooks): Finding {
  const { gap } = part(record.client);
  const fix = reinstall(record);
  if (state === "invalid")
    return gap("hooks_invalid", `${file} is not valid JSON, so the client reads no hook.`, `Fix ${file}.`);
  if (state === "missing") return gap("hooks_removed", `The hooks are gone from ${file}.`, fix);
  if (seconds !== undefined && seconds < NEEDED_SECONDS) {
    const message = `${file} gives the hook ${seconds} s, and a decision may take ${NEEDED_SECONDS} s.`;
    return gap("hook_timeout", message, fix);
  }
  const what = differing.length === 0 ? "" : ` (${differing.join(", ")})`;
  return gap("hooks_changed", `The hooks in ${file} were changed${what}, so they are not run here.`, fix);
}

function playedText({ outcome, ms }: Played): string {
  const said = {
    stopped: "stops the test call",
    blocked: "blocks every call",
    passed: "lets the test call pass",
    failed: "gives no answer",
  }[outcome];
  return `${said} (${ms} ms)`;
}

const isLate = ({ outcome, reason }: Played) => outcome !== "stopped" && /\btook longer than\b/.test(reason);
const WHEN_IDLE = "Run `toolkeep doctor` again when the machine is idle.";

interface PlayedHook {
  readonly record: InstallRecord;
  readonly found: FoundHooks;
  readonly played: Played;
  readonly isObserving: boolean;
}

function playedFindings({ record, found, played, isObserving }: PlayedHook): readonly Finding[] {
  const { gap, note } = part(record.client);
  const { outcome, reason, ms } = played;
  const fix = isLate(played) ? WHEN_IDLE : again(record, "init");
  if (outcome === "blocked")
    return [gap("hook_blocks", `The hook cannot decide, so every call is blocked: ${reason}`, fix)];
  if (outcome === "failed") return [gap("hook_fails", `The hook in ${found.file} fails: ${reason}.`, fix)];
  if (outcome === "passed" && !isObserving) {
    const message = "The policy lets an agent read your keys in ~/.ssh.";
    return [gap("hook_passes", message, 'Add `deny fs.* "**/.ssh/**"` to your policy.')];
  }
  const seconds = found.hook?.seconds ?? NEEDED_SECONDS;
  if (ms <= seconds * 500) return [];
  return [note("hook_slow", `The hook took ${ms} ms, and the client waits ${seconds} s.`, WHEN_IDLE)];
}
