import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { createRedactor, type EffectResolver, type Grant, type Io, type Session } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import type { Store } from "@toolkeep/sqlite";
import { type FolderSidecar, folderSidecar, sweepSidecars } from "@toolkeep/sqlite/internal";
import { commandsOnDisk } from "../commands/on-disk/commands-on-disk.ts";
import { parseCommand } from "../commands/parse-command.ts";
import { directories } from "../config/directories.ts";
import { declaredEnvironment } from "../environment/declared-environment.ts";
import { canonicalPath } from "../files/canonical-path.ts";
import { findBeneath } from "../files/find-beneath.ts";
import { guardedFiles } from "../files/guarded-files.ts";
import { guardedNetwork } from "../network/guarded-network.ts";
import { guardedCommands } from "../processes/guarded-commands.ts";
import type { Spawner } from "../processes/spawner.ts";
import { startSpawner } from "../processes/start-spawner.ts";
import { openSandbox } from "../sandbox/open-sandbox.ts";
import { sandboxProfileFor } from "../sandbox/sandbox-profile.ts";
import { type CheckedOptions, checkedOptions } from "./checked-options.ts";
import { rootedFiles } from "./rooted-files.ts";
import type { Workspace, WorkspaceOptions, WorkspaceSession, WorkspaceSessionOptions } from "./workspace.ts";

/**
 * Opens a place for agents to work in: real hands, real walls, and stores where they were given. To be called
 * early: the process that starts commands is best started while ours is small.
 * @throws ToolkeepError `invalid_option` for what cannot be used, and where no walls hold.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const checked = await checkedOptions(options);
  const hidden = await ourOwn(checked.sidecars, options.store);
  const spawner = await startSpawner();
  try {
    const sandbox = options.sandbox ?? (await openSandbox());
    void sweepLeft(checked.sidecars, options.store);
    return workspaceOf({ ...checked, sandbox, hidden }, spawner);
  } catch (error) {
    await spawner.close();
    throw error;
  }
}

interface WorkspaceParts extends CheckedOptions {
  readonly sandbox: NonNullable<WorkspaceOptions["sandbox"]>;
  readonly hidden: readonly string[];
}

function workspaceOf(parts: WorkspaceParts, spawner: Spawner): Workspace {
  const { roots, adHoc, sandbox, store, sidecars } = parts;
  const resolver: EffectResolver = {
    canonicalPath,
    findBeneath,
    parseCommand: (line) => parseCommand(line, { home: parts.home }),
    // A sandbox shows a command what it may see; without one the disk has to be looked at before.
    ...(sandbox.isolation === "none" ? { commandsOnDisk } : {}),
  };

  function session({
    id: sessionId = randomUUID(),
    redactor = createRedactor(),
  }: WorkspaceSessionOptions = {}): WorkspaceSession {
    const sidecar = folderSidecar({ folder: sidecars, sessionId, redactor });
    return {
      id: sessionId,
      variables: { workspace: roots, "ad-hoc": adHoc },
      resolver,
      grantIo: (grant) => ioOf(grant, sidecar, { ...parts, spawner, resolver }),
      isolation: sandbox.isolation,
      sidecar,
      redactor,
      ...(store === undefined ? {} : storedParts(store, sessionId, roots[0])),
    };
  }

  return Object.freeze<Workspace>({
    isolation: sandbox.isolation,
    session,
    open: (options = {}) => openSession(session(options), options),
    close: () => spawner.close(),
  });
}

function storedParts(store: Store, sessionId: string, root: string) {
  return {
    journal: store.journal(sessionId),
    pending: store.pending,
    projectApprovals: store.projectApprovals(root),
  };
}

/** A new one, or one that was left before. What fails leaves the session to be opened again. */
async function openSession(ports: WorkspaceSession, options: WorkspaceSessionOptions): Promise<Session> {
  const { journal, pending, ...others } = ports;
  if (journal === undefined || pending === undefined) return createSession({ ...options, ...others });
  try {
    const kept = { ...options, ...others, journal, pending };
    return await (journal.extent().nextSeq === 0 ? createSession(kept) : createSession(kept));
  } catch (error) {
    journal.close();
    throw error;
  }
}

interface IoParts extends WorkspaceParts {
  readonly spawner: Spawner;
  readonly resolver: EffectResolver;
}

function ioOf(grant: Grant, sidecar: FolderSidecar, parts: IoParts): Io {
  const { roots, sandbox, spawner, resolver, limits, environment, hidden, guarded, onNote } = parts;
  const profile = {
    roots,
    environment: environment.passed,
    hidden,
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
      ...(limits?.commands === undefined ? {} : { limits: limits.commands }),
    }),
    environment: declaredEnvironment(grant, environment.values),
  };
}

/** What sessions keep, and what decides about them: no command may see any of it, wherever it lies. */
async function ourOwn(sidecars: string, store: Store | undefined): Promise<readonly string[]> {
  const { config, state, data, cache } = directories();
  const folders = [config, state, data, cache, sidecars, ...(store === undefined ? [] : [store.folder])];
  return [...new Set(await Promise.all(folders.map((folder) => canonicalPath(resolve(folder)))))];
}

const LEFT_FOR = 7 * 24 * 60 * 60 * 1_000;

/** Outputs of sessions whose process is gone, and that nobody will go on with. Nothing depends on its being done. */
async function sweepLeft(sidecars: string, store: Store | undefined): Promise<void> {
  try {
    const unfinished = store?.sessions().filter((entry) => entry.unfinishedTurns.length > 0) ?? [];
    await sweepSidecars(sidecars, {
      olderThanMs: LEFT_FOR,
      keep: unfinished.map(({ sessionId }) => sessionId),
    });
  } catch {
    // Looked after again the next time.
  }
}
