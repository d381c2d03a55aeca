import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { errorText } from "@toolkeep/core/internal";
import type { Sandbox, SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { openCommandProxy, proxyFolder } from "@toolkeep/node/internal";
import type { ServerSettings, StdioServer } from "../../servers/server-entry.ts";
import { type EnvironmentValues, scrubbedEnvironment } from "./scrubbed-environment.ts";
import type { StartOptions } from "./server-process.ts";

export interface ProgramParts {
  readonly entry: StdioServer;
  readonly profile: ServerSettings["sandbox"];
  readonly sandbox: Sandbox | undefined;
  readonly environment: EnvironmentValues;
  /** Where its start folder is created, unless its entry names a directory. */
  readonly folder: string | undefined;
}

/** An empty directory that a program is started in. */
interface StartFolder {
  readonly path: string;
  /** Removes it with everything that the program left there. Never rejects. */
  remove(): Promise<void>;
}

/**
 * How the program of a server is started: with a scrubbed environment, in its sandbox if it has one, and never in a
 * directory with foreign code unless its entry says so or it is a project's own program.
 * @throws ToolFailure `denied` if its sandbox cannot be set up; it never runs with less isolation.
 */
export async function programOf(parts: ProgramParts): Promise<StartOptions> {
  const { entry, profile, environment } = parts;
  const argv: SandboxedCommand["argv"] = [entry.command, ...entry.args];
  const values = scrubbedEnvironment(environment, entry.env);
  if (profile !== undefined) return sandboxedProgram(parts, { argv, environment: values });
  if (!startsFresh(entry))
    return { command: { argv, environment: values, cwd: entry.cwd ?? process.cwd() }, isSandboxed: false };
  const { path, remove } = await startFolder(parts.folder);
  return {
    command: { argv, environment: values, cwd: path, done: remove },
    isSandboxed: false,
    folder: path,
  };
}

function startsFresh(entry: StdioServer): boolean {
  return !entry.isOfProject && entry.cwd === undefined;
}

async function sandboxedProgram(
  { entry, profile = {}, sandbox }: ProgramParts,
  { argv, environment }: Pick<SandboxedCommand, "argv" | "environment">,
): Promise<StartOptions> {
  const holding = holdingSandbox(profile, sandbox);
  const [open, write] = await Promise.all([directories(profile.read), directories(profile.write)]);
  // The directories open to it may be a project.
  const fresh = startsFresh(entry) ? await sandboxedStartFolder() : undefined;
  const read = fresh === undefined ? open : [...open, fresh.path];
  try {
    const cwd =
      fresh?.path ?? (entry.cwd === undefined ? (write[0] ?? read[0] ?? "/") : await canonical(entry.cwd));
    const hosts = profile.hosts ?? [];
    const command = await wrappedWithHosts(holding, argv, {
      ...{ read, write, guarded: [], hidden: [], hosts, environment, cwd },
    });
    if (fresh === undefined) return { command, isSandboxed: true };
    return { command: thenRemoved(command, fresh), isSandboxed: true, folder: fresh.path };
  } catch (error) {
    await fresh?.remove();
    throw ToolFailure.isInstance(error) && error.code === "denied" ? error : refused(errorText(error), error);
  }
}

/** With a proxy of its own for the hosts that are named, which ends with the server. */
async function wrappedWithHosts(
  sandbox: Sandbox,
  argv: SandboxedCommand["argv"],
  profile: SandboxProfile,
): Promise<SandboxedCommand> {
  const { hosts } = profile;
  if (hosts === "any" || hosts.length === 0) return sandbox.wrap(argv, profile);
  const folder = await proxyFolder();
  const proxy = await openCommandProxy({ hosts, folder });
  const close = () => proxy.close().finally(() => rm(folder, { recursive: true, force: true }));
  try {
    const command = await sandbox.wrap(argv, { ...profile, proxy });
    return { ...command, done: () => close().then(() => command.done?.()) };
  } catch (error) {
    await close();
    throw error;
  }
}

function thenRemoved(command: SandboxedCommand, fresh: StartFolder): SandboxedCommand {
  return { ...command, done: () => (command.done?.() ?? Promise.resolve()).finally(() => fresh.remove()) };
}

function holdingSandbox(
  profile: NonNullable<ServerSettings["sandbox"]>,
  sandbox: Sandbox | undefined,
): Sandbox {
  if (sandbox === undefined) throw refused("No sandbox was opened.");
  const isEnough =
    sandbox.isolation === "files-and-network" || (sandbox.isolation === "files" && profile.hosts === "any");
  if (isEnough) return sandbox;
  throw refused(`The sandbox ${sandbox.name} only provides the isolation level "${sandbox.isolation}".`);
}

async function directories(paths: readonly string[] = []): Promise<readonly string[]> {
  return Promise.all(paths.map(canonical));
}

/** Sandboxes follow no links, so their paths must contain none. */
async function canonical(path: string): Promise<string> {
  const absolute = resolve(path.replace(/^~(?=\/|$)/, homedir()));
  return realpath(absolute).catch((error: unknown) => {
    throw refused(`The path ${absolute} of its sandbox does not exist.`, error);
  });
}

function refused(reason: string, cause?: unknown): ToolFailure {
  return new ToolFailure("denied", `The server requires a sandbox, which cannot be set up. ${reason}`, {
    hint: "Run `toolkeep doctor` to see what is missing. To start it without a sandbox, remove `sandbox` from its settings.",
    cause,
  });
}

/**
 * Creates a directory for one run of a program, writable only for us. Programs that fetch others (npx and the like),
 * and `python -m`, prefer code in their working directory: so it must not be a project.
 */
async function startFolder(within: string | undefined): Promise<StartFolder> {
  const parent = within ?? tmpdir();
  if (within !== undefined) await mkdir(within, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(await realpath(parent), "toolkeep-server-"));
  // npm also looks for modules and settings in parent directories, up to the first that has modules.
  await mkdir(join(path, "node_modules"), { mode: 0o700 });
  return { path, remove: () => rm(path, { recursive: true, force: true }).catch(() => {}) };
}

/** The same for a sandboxed program: it cannot write there, and it may run as another user. */
async function sandboxedStartFolder(): Promise<StartFolder> {
  const path = await mkdtemp(join(await realpath(tmpdir()), "toolkeep-server-"));
  await chmod(path, 0o755);
  return { path, remove: () => rm(path, { recursive: true, force: true }).catch(() => {}) };
}
