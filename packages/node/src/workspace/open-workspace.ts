import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { createRedactor, type Io, type SessionStore } from "@toolkeep/core";
import { createSessionWithPorts } from "@toolkeep/core/internal";
import type { Commands, EffectResolver, Grant } from "@toolkeep/core/ports";
import { type FolderSidecar, folderSidecar, sweepSidecars } from "@toolkeep/sqlite/internal";
import { commandsOnDisk } from "../commands/on-disk/commands-on-disk.ts";
import { parseCommand } from "../commands/parse-command.ts";
import { directories } from "../config/directories.ts";
import { declaredEnvironment } from "../environment/declared-environment.ts";
import { type SearchPath, searchPath } from "../environment/search-path.ts";
import { temporaryFolders } from "../environment/temporary-folders.ts";
import { canonicalPath } from "../files/canonical-path.ts";
import { guardedNetwork } from "../network/guarded-network.ts";
import { guardedCommands } from "../processes/guarded-commands.ts";
import { type Spawner, startSpawner } from "../processes/spawner.ts";
import { openSandbox } from "../sandbox/open-sandbox.ts";
import { sandboxProfileFor } from "../sandbox/sandbox-profile.ts";
import { boundedCommands } from "./bounded-commands.ts";
import { type CheckedOptions, checkedOptions } from "./checked-options.ts";
import { sessionFiles } from "./session-files.ts";
import { TEMPORARY } from "./session-paths.ts";
import { type SessionPlace, sandboxHome, sessionPlace } from "./session-place.ts";
import { sweepTemporaryFolders, type TemporaryFolder } from "./temporary-folder.ts";
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
    void sweepTemporaryFolders().catch(() => {});
    const search = searchPathOf(checked, hidden);
    const tmp = await temporaryFolders(checked.roots);
    return workspaceOf({ ...checked, sandbox, hidden, search, tmp }, spawner);
  } catch (error) {
    await spawner.close();
    throw error;
  }
}

interface WorkspaceParts extends CheckedOptions {
  readonly sandbox: NonNullable<WorkspaceOptions["sandbox"]>;
  readonly hidden: readonly string[];
  readonly search: SearchPath;
  /** The machine's folders for temporary files. */
  readonly tmp: readonly string[];
}

function searchPathOf(options: CheckedOptions, hidden: readonly string[]): SearchPath {
  const { roots, home, onNote } = options;
  const { values } = options.environment;
  const path = values["PATH"];
  return searchPath({ path, home, roots, hidden, values, ...(onNote === undefined ? {} : { onNote }) });
}

function workspaceOf(parts: WorkspaceParts, spawner: Spawner): Workspace {
  const { roots, adHoc, sandbox, store, sidecars } = parts;
  const folders = new Set<TemporaryFolder>();
  const resolverAt = (place: SessionPlace): EffectResolver => ({
    ...place.resolver,
    parseCommand: (line) => parseCommand(line, { home: parts.home }),
    // A sandbox limits what a command sees; without one, what it would touch is looked up before it runs.
    ...(sandbox.isolation === "none" ? { commandsOnDisk } : {}),
  });

  function sessionOptions({
    id: sessionId = randomUUID(),
    redactor = createRedactor(),
  }: WorkspaceSessionOptions = {}): WorkspaceSession {
    const sidecar = folderSidecar({ folder: sidecars, sessionId, redactor });
    const place = sessionPlace(parts);
    const resolver = resolverAt(place);
    const folder = place.temporary?.folder;
    if (folder !== undefined) folders.add(folder);
    return {
      id: sessionId,
      variables: { workspace: roots, "ad-hoc": adHoc, tmp: place.tmp },
      resolver,
      grantIo: (grant) => ioOf(grant, sidecar, { ...parts, spawner, resolver, place }),
      isolation: sandbox.isolation,
      sidecar: { ...sidecar, clear: () => Promise.all([sidecar.clear(), folder?.remove()]).then(() => {}) },
      redactor,
      ...(store === undefined ? {} : { store, project: roots[0] }),
    };
  }

  return Object.freeze<Workspace>({
    isolation: sandbox.isolation,
    sessionOptions,
    createSession: async (options = {}) => createSessionWithPorts({ ...options, ...sessionOptions(options) }),
    close,
    [Symbol.asyncDispose]: close,
  });

  async function close(): Promise<void> {
    await spawner.close();
    await Promise.all([...folders].map((folder) => folder.remove()));
  }
}

interface IoParts extends WorkspaceParts {
  readonly spawner: Spawner;
  readonly resolver: EffectResolver;
  readonly place: SessionPlace;
}

function ioOf(grant: Grant, sidecar: FolderSidecar, parts: IoParts): Io {
  const { roots, limits, environment, place } = parts;
  const { temporary } = place;
  const fileLimits = limits?.files === undefined ? {} : { limits: limits.files };
  const commandsOf = (granted: Grant) => commandsFor(granted, sidecar, parts);
  return {
    files: sessionFiles(grant, place.paths, { root: roots[0], ...fileLimits }),
    network: guardedNetwork(grant, parts.network),
    commands: temporary === undefined ? commandsOf(grant) : boundedCommands(grant, temporary.watch, commandsOf),
    environment: declaredEnvironment(grant, environment.values),
  };
}

function commandsFor(grant: Grant, sidecar: FolderSidecar, parts: IoParts): Commands {
  const { sandbox, spawner, resolver, limits, guarded } = parts;
  return guardedCommands(grant, {
    spawner,
    sandbox,
    sidecar,
    sandboxProfileFor: () =>
      sandboxProfileFor(grant, {
        ...directoryOf(parts),
        ...(guarded === undefined ? {} : { guarded: guarded() }),
      }),
    parse: resolver.parseCommand,
    ...(limits?.commands === undefined ? {} : { limits: limits.commands }),
  });
}

/** Without a sandbox a command has the machine's folders under their own names. */
function directoryOf({ roots, environment, hidden, search, home, place, resolver, onNote }: IoParts) {
  const { temporary, paths } = place;
  const shared = { roots, ...(onNote === undefined ? {} : { onNote }) };
  const own = { PATH: search.value, ...environment.passed };
  if (temporary === undefined) return { ...shared, hidden, environment: own };
  const folder = temporary.folder.path();
  const { isMounted } = temporary;
  return {
    ...shared,
    hidden: [...hidden, ...search.hidden],
    environment: { ...own, HOME: sandboxHome(home), TMPDIR: isMounted ? TEMPORARY : folder },
    programs: search.programs,
    ...(resolver.isShown === undefined ? {} : { isShown: resolver.isShown }),
    ...(isMounted ? { temporary: { folder, isTemporary: paths.isTemporary } } : {}),
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
