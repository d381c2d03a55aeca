import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whyNotRoots } from "@toolkeep/node/internal";
import { managedFiles } from "../../clients/claude-settings.ts";
import type { InstallClientName } from "../../clients/install-client.ts";
import { MANAGED_CLIENTS, managedFilesOf } from "../../clients/managed-files.ts";
import { isFields } from "../../clients/payload.ts";
import { type Checked, part, together } from "./finding.ts";
import { type Played, playCall } from "./play-call.ts";

/** A client whose hooks its own managed settings have: they are there in every project. */
export interface ManagedHooks {
  readonly client: (typeof MANAGED_CLIENTS)[number];
  readonly file: string;
  /** The line that the client starts. */
  readonly line: string;
}

/** The clients with hooks of ours in their managed settings. */
export function managedHooks(claude: readonly string[] = managedFiles()): readonly ManagedHooks[] {
  return MANAGED_CLIENTS.flatMap((client) => {
    const files = client === "claude-code" ? claude : [`/${managedFilesOf(client).hooks}`];
    return files.flatMap((file) => {
      const line = hookIn(file, client);
      return line === undefined ? [] : [{ client, file, line }];
    });
  });
}

/** The deciding hook of a file. Only one that decides about every tool, and blocks the call where it cannot, is one. */
function hookIn(file: string, client: ManagedHooks["client"]): string | undefined {
  try {
    const settings: unknown = JSON.parse(readFileSync(file, "utf8"));
    const hooks = isFields(settings) ? settings["hooks"] : undefined;
    if (!isFields(hooks)) return undefined;
    const groups = hooks[client === "claude-code" ? "PreToolUse" : "beforeShellExecution"];
    return Array.isArray(groups) ? groups.flatMap((one) => linesOf(one, client))[0] : undefined;
  } catch {
    return undefined;
  }
}

function linesOf(group: unknown, client: ManagedHooks["client"]): readonly string[] {
  if (!isFields(group)) return [];
  const { matcher = "", hooks = [group], failClosed } = group;
  const isForAll = matcher === "" || matcher === "*" || matcher === ".*";
  if (!isForAll || !Array.isArray(hooks) || (client === "cursor" && failClosed !== true)) return [];
  const lines = hooks.map((one) => (isFields(one) ? String(one["command"]).trim() : ""));
  return lines.filter((line) => OURS[client].test(line));
}

const OURS: Readonly<Record<ManagedHooks["client"], RegExp>> = {
  "claude-code":
    /(?:(?:^|[\s/'"])(?:toolkeep|main\.js)['"]? hook claude-code(?: .*)? \|\| exit 2|^\/bin\/sh -c .*; exit 2' \S+ hook claude-code)$/,
  cursor: /(?:^|[\s/'"])(?:toolkeep|main\.js)['"]? hook cursor(?: .*)?$/,
};

const SECONDS = 30;

interface CheckOptions {
  readonly project: string;
  readonly isObserving: boolean;
  readonly play?: typeof playCall;
  progress?(client: InstallClientName): void;
}

/** Plays a forbidden call through the managed hooks, as they are and in an environment that a hostile project sets. */
export async function checkManagedHooks(
  found: readonly ManagedHooks[],
  options: CheckOptions,
): Promise<Checked> {
  return together(await Promise.all(found.map((one) => checkOne(one, options))));
}

async function checkOne(
  { client, file, line }: ManagedHooks,
  { project, isObserving, play = playCall, progress }: CheckOptions,
): Promise<Checked> {
  const { is, gap } = part(client, "administrator");
  const fact = (text: string) => `managed hooks in ${file}: ${text}`;
  const fix = `sudo toolkeep init ${client} --managed`;
  const why = whyNotRoots(file);
  // Who wrote it is not known, so nothing of it is started.
  if (why !== undefined)
    return is(
      fact("not tried"),
      gap("managed_hooks_open", `Anybody may change the managed hooks: ${why}.`, fix),
    );
  progress?.(client);
  const played = (environment: Readonly<Record<string, string>>) =>
    play({ client, project, hook: { line, shell: "sh", seconds: SECONDS }, environment });
  const clean = await played({});
  if (clean === undefined || isObserving) return is(fact("tried"));
  if (clean.outcome !== "stopped")
    return is(fact(clean.outcome), gap("managed_hooks_fail", failureOf(clean), fix));
  const bypassed = await withHostileEnvironment(async (one) => (await played(one))?.outcome !== "stopped");
  if (bypassed.length === 0)
    return is(fact(`stop the test call (${clean.ms} ms), also in a hostile environment`));
  const message = `A project that sets ${bypassed.join(", ")} in the client's settings gets past the managed hooks.`;
  return is(fact("bypassed"), gap("managed_hooks_bypassed", message, fix));
}

function failureOf({ outcome, reason }: Played): string {
  if (outcome === "passed") return "The managed hooks let an agent read your keys in ~/.ssh.";
  return `The managed hooks do not decide: ${reason}`;
}

/** Answers like a hook that allows everything, for every client. */
const ALLOW = JSON.stringify({
  ...{ permission: "allow", decision: "allow" },
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" },
});

const SHELL = `#!/bin/sh\ncat >/dev/null\necho '${ALLOW}'\nexit 0\n`;
const MODULE = `process.stdout.write(${JSON.stringify(ALLOW)});\nprocess.exit(0);\n`;
/** Programs that hooks are often started through. */
const PROGRAMS = ["node", "env", "sh", "toolkeep", "npx"];

/**
 * The variables with which a project gets past a hook: it may set the environment that clients give to hooks. Each names
 * a file of ours that allows everything. `LD_PRELOAD` is not tried, because that needs a compiler.
 * @param isBypassed Plays a call in an environment.
 */
async function withHostileEnvironment(
  isBypassed: (environment: Readonly<Record<string, string>>) => Promise<boolean>,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolkeep-doctor-"));
  try {
    const variables = hostileVariables(folder);
    // One process is enough where nothing is wrong.
    if (!(await isBypassed(variables))) return [];
    const tried = await Promise.all(
      Object.entries(variables).map(async ([name, value]) =>
        (await isBypassed({ [name]: value })) ? [name] : [],
      ),
    );
    return tried.flat();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function hostileVariables(folder: string): Readonly<Record<string, string>> {
  for (const name of PROGRAMS) writeFileSync(join(folder, name), SHELL, { mode: 0o755 });
  const [script, module] = [join(folder, "script"), join(folder, "module.mjs")];
  writeFileSync(script, SHELL);
  writeFileSync(module, MODULE);
  return {
    PATH: `${folder}:${process.env["PATH"] ?? ""}`,
    NODE_OPTIONS: `--import=${module}`,
    ...{ BASH_ENV: script, ENV: script, NODE_PATH: folder },
    ...{ HOME: folder, TOOLKEEP_HOME: join(folder, "state"), XDG_CONFIG_HOME: folder },
  };
}
