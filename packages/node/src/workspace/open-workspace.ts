import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { createRedactor, type Io, type SessionStore } from "@toolkeep/core";
import { createSessionWithPorts } from "@toolkeep/core/internal";
import type { EffectResolver, Files, Grant, IsolationLevel, LineOnDisk } from "@toolkeep/core/ports";
import { type FolderSidecar, folderSidecar, sweepSidecars } from "@toolkeep/sqlite/internal";
import { commandsOnDisk } from "../commands/on-disk/commands-on-disk.ts";
import { parseCommand } from "../commands/parse-command.ts";
import { directories } from "../config/directories.ts";
import { declaredEnvironment } from "../environment/declared-environment.ts";
import { canonicalPath } from "../files/canonical-path.ts";
import { findBeneath } from "../files/find-beneath.ts";
import { guardedFiles } from "../files/guarded-files.ts";
import { guardedNetwork } from "../network/guarded-network.ts";
import { hostsOnDisk } from "../network/hosts-on-disk.ts";
import { npmConfiguration } from "../network/npm-registries.ts";
import { CommandProxy } from "../network/proxy/command-proxy.ts";
import { proxyFolder } from "../network/proxy/proxy-folder.ts";
import { guardedCommands } from "../processes/guarded-commands.ts";
import { type Spawner, startSpawner } from "../processes/spawner.ts";
import { gitReads, isGitRead } from "../sandbox/git-reads.ts";
import { openSandbox } from "../sandbox/open-sandbox.ts";
import { sandboxProfileFor } from "../sandbox/sandbox-profile.ts";
import { type CheckedOptions, checkedOptions } from "./checked-options.ts";
import type { Workspace, WorkspaceOptions, WorkspaceSession, WorkspaceSessionOptions } from "./workspace.ts";

/**
 * Opens folders for sessions to work in: files, network and commands of tools go through checks of every access, and
 * commands run in a sandbox. Call it early: the helper process that starts commands is best forked while this process
 * is small.
 * @throws ToolkeepError `invalid_option` for an option that cannot be used, and if no sandbox works on this machine.
 *
 * @example
 * await using workspace = await openWorkspace({ roots: ["."], store });
 * await using session = await workspace.createSession({ tools: standardTools(), approver: terminalApprover() });
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const checked = await checkedOptions(options);
  const hidden = await ourOwn(checked.sidecars, options.store);
  const spawner = await startSpawner();
  try {
    const sandbox = options.sandbox ?? (await openSandbox());
    void removeOldOutputs(checked.sidecars, options.store);
    const proxies = await proxyFolder();
    return workspaceOf({ ...checked, sandbox, proxies, hidden: [...hidden, proxies] }, spawner);
  } catch (error) {
    await spawner.close();
    throw error;
  }
}

interface WorkspaceParts extends CheckedOptions {
  readonly sandbox: NonNullable<WorkspaceOptions["sandbox"]>;
  readonly hidden: readonly string[];
  /** Where the proxies of commands listen, each in a folder of its own. */
  readonly proxies: string;
}

function workspaceOf(parts: WorkspaceParts, spawner: Spawner): Workspace {
  const { roots, adHoc, sandbox, store, sidecars } = parts;
  const resolver: EffectResolver = {
    canonicalPath,
    findBeneath,
    parseCommand: (line) => parseCommand(line, { home: parts.home }),
    // A sandbox that holds the network opens exactly what was decided on.
    ...(sandbox.isolation === "files-and-network"
      ? { hostsOf: (line: LineOnDisk) => hostsOnDisk(line, parts.network) }
      : {}),
  };

  function sessionOptions({
    id: sessionId = randomUUID(),
    redactor = createRedactor(),
  }: WorkspaceSessionOptions = {}): WorkspaceSession {
    const sidecar = folderSidecar({ folder: sidecars, sessionId, redactor });
    const shown = new Set<string>();
    return {
      id: sessionId,
      variables: { workspace: roots, "ad-hoc": adHoc },
      resolver: { ...resolver, commandsOnDisk: onDisk(sandbox.isolation, shown) },
      grantIo(grant) {
        for (const effect of grant.effects) if (isGitRead(effect)) shown.add(effect.target);
        return ioOf(grant, sidecar, { ...parts, spawner, resolver, shown });
      },
      isolation: sandbox.isolation,
      sidecar,
      redactor,
      ...(store === undefined ? {} : { store, project: roots[0] }),
    };
  }

  async function close(): Promise<void> {
    await spawner.close();
    await Promise.all([sandbox.close?.(), rm(parts.proxies, { recursive: true, force: true })]);
  }

  return Object.freeze<Workspace>({
    isolation: sandbox.isolation,
    sessionOptions,
    createSession: async (options = {}) => createSessionWithPorts({ ...options, ...sessionOptions(options) }),
    close,
    [Symbol.asyncDispose]: close,
  });
}

/**
 * A sandbox limits what a command sees: only what git needs and would find hidden is looked up. Without one, what a
 * command would touch is looked up before it runs.
 */
function onDisk(
  isolation: IsolationLevel,
  shown: ReadonlySet<string>,
): NonNullable<EffectResolver["commandsOnDisk"]> {
  if (isolation === "none") return commandsOnDisk;
  return async (line, session) =>
    session === undefined ? [] : gitReads(line, session, (path) => shown.has(path));
}

interface IoParts extends WorkspaceParts {
  readonly spawner: Spawner;
  readonly resolver: EffectResolver;
  /** Files that a call was allowed to open to all commands of the session. */
  readonly shown: ReadonlySet<string>;
}

function ioOf(grant: Grant, sidecar: FolderSidecar, parts: IoParts): Io {
  const { roots, sandbox, spawner, resolver, limits, environment, hidden, guarded, onNote } = parts;
  const profile = {
    roots,
    environment: environment.passed,
    hidden,
    shown: [...parts.shown],
    ...(onNote === undefined ? {} : { onNote }),
  };
  return {
    files: rootedFiles(guardedFiles(grant, limits?.files), roots[0]),
    network: guardedNetwork(grant, parts.network),
    commands: guardedCommands(grant, {
      spawner,
      sandbox,
      sidecar,
      sandboxProfileFor: () =>
        sandboxProfileFor(grant, guarded === undefined ? profile : { ...profile, guarded: guarded() }),
      parse: resolver.parseCommand,
      proxyFor: ({ cwd, ...way }) =>
        new CommandProxy({
          ...way,
          settings: parts.network,
          folder: parts.proxies,
          npmrc: npmConfiguration(cwd),
        }),
      ...(limits?.commands === undefined ? {} : { limits: limits.commands }),
    }),
    environment: declaredEnvironment(grant, environment.values),
  };
}

/** Folders of Toolkeep itself: what sessions keep and what decides about them. No command may see them. */
async function ourOwn(sidecars: string, store: SessionStore | undefined): Promise<readonly string[]> {
  const { config, state, data, cache } = directories();
  const folders = [config, state, data, cache, sidecars, ...pathOf(store)];
  return [...new Set(await Promise.all(folders.map((folder) => canonicalPath(resolve(folder)))))];
}

const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

const MOST_UNFINISHED = 100_000;

/** The folder of a store that keeps its sessions in one. */
function pathOf(store: SessionStore | undefined): readonly string[] {
  return store !== undefined && "path" in store && typeof store.path === "string" ? [store.path] : [];
}

/** Removes outputs of finished sessions whose process has ended. Nothing depends on it. */
async function removeOldOutputs(sidecars: string, store: SessionStore | undefined): Promise<void> {
  try {
    const [unfinished = [], waiting = []] = await Promise.all([
      store?.unfinished(MOST_UNFINISHED),
      store?.waiting(),
    ]);
    await sweepSidecars(sidecars, {
      olderThanMs: KEPT_MS,
      keep: [...unfinished, ...waiting].map(({ sessionId }) => sessionId),
    });
  } catch {
    // The next workspace tries again.
  }
}

/** The same files, where relative paths start in a folder. */
function rootedFiles(files: Files, root: string): Files {
  // Not normalized: `..` after a link leads elsewhere, and the files resolve links themselves.
  const absolute = (path: string) => (path.startsWith("/") || path === "" ? path : `${root}/${path}`);
  return Object.freeze<Files>({
    read: (path, range) => files.read(absolute(path), range),
    write: (path, content, options) => files.write(absolute(path), content, options),
    remove: (path) => files.remove(absolute(path)),
    list: (query) => files.list({ ...query, root: absolute(query.root) }),
    search: (query) => files.search({ ...query, root: absolute(query.root) }),
  });
}
