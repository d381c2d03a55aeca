import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createRedactor, type Effect, type SessionStore } from "@toolkeep/core";
import { createSessionWithPorts, isWithin } from "@toolkeep/core/internal";
import type { EffectResolver, LineOnDisk, Sandbox } from "@toolkeep/core/ports";
import { folderSidecar, sweepSidecars } from "@toolkeep/sqlite/internal";
import { recordsFolder } from "../changes/change-journal.ts";
import { undoLeftChanges } from "../changes/left-changes.ts";
import { commandsOnDisk } from "../commands/on-disk/commands-on-disk.ts";
import { emptiedOnDisk } from "../commands/on-disk/git/emptied-on-disk.ts";
import { localBranches } from "../commands/on-disk/git/local-branches.ts";
import { recordedNames } from "../commands/on-disk/git/recorded-names.ts";
import { scriptsOnDisk } from "../commands/on-disk/programs/scripts-run.ts";
import { parseCommand } from "../commands/parse-command.ts";
import { certificateFiles, shownCertificates } from "../environment/certificate-files.ts";
import { directories } from "../environment/directories.ts";
import { type FoundCaches, projectCaches } from "../environment/project-caches.ts";
import { type SearchPath, searchPath } from "../environment/search-path.ts";
import { temporaryFolders } from "../environment/temporary-folders.ts";
import { canonicalPath } from "../files/canonical-path.ts";
import { hostsOnDisk } from "../network/hosts-on-disk.ts";
import { proxyFolder } from "../network/proxy/proxy-folder.ts";
import { type Spawner, startSpawner } from "../processes/spawner.ts";
import { projectPast } from "../sandbox/contain/commit/past-commands.ts";
import { containFolder } from "../sandbox/contain/containment-of.ts";
import { gitReads, isGitRead } from "../sandbox/git/git-reads.ts";
import { gitWrites } from "../sandbox/git/git-writes.ts";
import { openSandbox } from "../sandbox/open-sandbox.ts";
import { lookAhead } from "../sandbox/scan/look-ahead.ts";
import { removedProtected } from "../sandbox/watch/removed-protected.ts";
import { type CheckedOptions, checkedOptions } from "./checked-options.ts";
import { type ContainedCommands, containedCommands, containmentProof } from "./contained-commands.ts";
import { fileLabels, labelsFileIn } from "./labels/file-labels.ts";
import { sessionIo, type WorkspaceParts } from "./session-io.ts";
import { type SessionPlace, sandboxHome, sessionPlace } from "./session-place.ts";
import { storedOutputs } from "./stored-outputs.ts";
import { sweepCacheLayers } from "./sweep-cache-layers.ts";
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
  await undoLeftChanges(recordsFolder(), checked.onNote);
  // At the same time: each of them mostly waits for processes of its own.
  const [started, opened] = await Promise.allSettled([startSpawner(), options.sandbox ?? openSandbox()]);
  if (started.status === "rejected") throw started.reason;
  const spawner = started.value;
  try {
    if (opened.status === "rejected") throw opened.reason;
    const sandbox = opened.value;
    void removeOldOutputs(checked.sidecars, options.store);
    const search = searchPathOf(checked, hidden);
    const tmp = await temporaryFolders(checked.roots);
    const proxies = await proxyFolder();
    const caches = cachesOf(checked, hidden);
    const parts = { ...checked, sandbox, proxies, hidden: [...hidden, proxies], search, tmp, caches };
    return workspaceOf(parts, spawner);
  } catch (error) {
    await spawner.close();
    throw error;
  }
}

function searchPathOf(options: CheckedOptions, hidden: readonly string[]): SearchPath {
  const { roots, home, onNote } = options;
  const { values } = options.environment;
  const path = values["PATH"];
  const note = onNote === undefined ? {} : { onNote };
  const found = searchPath({ path, home, roots, hidden, values, ...note });
  const certificates = shownCertificates(certificateFiles(values));
  return { ...found, programs: [...found.programs, ...certificates] };
}

function cacheLayers(): string {
  return join(directories().cache, "layers");
}

function cachesOf({ roots, home, environment }: CheckedOptions, hidden: readonly string[]) {
  let found: FoundCaches | undefined;
  const { values } = environment;
  const place = {
    roots,
    home,
    hidden,
    values,
    seenHome: sandboxHome(home),
    layers: cacheLayers(),
  };
  return () => (found ??= projectCaches(place));
}

function workspaceOf(parts: WorkspaceParts, spawner: Spawner): Workspace {
  const { roots, adHoc, sandbox, store, sidecars } = parts;
  const folders = new Set<TemporaryFolder>();
  const { contain } = parts;
  const isProven = contain && containmentProof({ ...parts, contain, spawner });
  let ahead: Disposable | undefined;

  function sessionOptions({
    id: sessionId = randomUUID(),
    redactor = createRedactor(),
  }: WorkspaceSessionOptions = {}): WorkspaceSession {
    const local = folderSidecar({ folder: sidecars, sessionId, redactor });
    const shared = store?.outputs?.(sessionId, { redactor });
    // A store in a folder is on this machine too.
    const sidecar = shared === undefined || "spool" in shared ? local : storedOutputs(local, shared);
    const place = sessionPlace(parts);
    const shown = new Set<string>();
    const containing =
      contain &&
      isProven &&
      containedCommands({ ...parts, contain: { sessionId, ...contain }, spawner }, isProven);
    const resolver = resolverAt(place, parts, { shown, hidden: parts.hidden, seen: containing?.seen });
    // Not before a session: a project that is not trusted yet is not read.
    if (sandbox.isolation !== "none") ahead ??= lookAhead(roots);
    const folder = place.temporary?.folder;
    if (folder !== undefined) folders.add(folder);
    return {
      id: sessionId,
      variables: { ...parts.variables, workspace: roots, "ad-hoc": adHoc, tmp: place.tmp },
      resolver,
      grantIo(grant) {
        for (const effect of grant.effects) if (isGitRead(effect)) shown.add(effect.target);
        return sessionIo(grant, sidecar, {
          ...parts,
          spawner,
          resolver,
          place,
          shown,
          containing,
          sessionId,
        });
      },
      isolation: sandbox.isolation,
      sidecar: { ...sidecar, clear: () => Promise.all([sidecar.clear(), folder?.remove()]).then(() => {}) },
      redactor,
      ...(containing === undefined ? {} : { mayContain: containing.mayContain }),
      ...(store === undefined ? {} : { store, project: roots[0] }),
    };
  }

  async function close(): Promise<void> {
    ahead?.[Symbol.dispose]();
    await spawner.close();
    await Promise.all([
      sandbox.close?.(),
      rm(parts.proxies, { recursive: true, force: true }),
      ...[...folders].map((folder) => folder.remove()),
    ]);
  }

  return Object.freeze<Workspace>({
    isolation: sandbox.isolation,
    sessionOptions,
    createSession: async (options = {}) => createSessionWithPorts({ ...options, ...sessionOptions(options) }),
    changes: () => projectPast(contain?.folder ?? containFolder(), roots[0]),
    close,
    [Symbol.asyncDispose]: close,
  });
}

type DecidingParts = CheckedOptions & Pick<WorkspaceParts, "sandbox">;

interface Looking {
  /** Files that git was shown for an earlier command. */
  readonly shown: ReadonlySet<string>;
  /** What git does not see while it is asked. */
  readonly hidden: readonly string[];
  /** What lines did that ran contained. */
  readonly seen?: ContainedCommands["seen"] | undefined;
}

function resolverAt(place: SessionPlace, parts: DecidingParts, looking: Looking): EffectResolver {
  const { sandbox, roots, home, network, store, catalog } = parts;
  const [kept] = pathOf(store);
  return {
    ...place.resolver,
    ...(kept === undefined
      ? {}
      : { fileLabels: fileLabels({ file: labelsFileIn(kept), project: roots[0] }) }),
    // Our own commands are run by bash, which no variable and no search path chooses.
    parseCommand: (line) => parseCommand(line, { home, folder: roots[0], shell: "bash", catalog }),
    // A sandbox that holds the network opens exactly what was decided on.
    ...(sandbox.isolation === "files-and-network"
      ? { hostsOf: (line: LineOnDisk) => hostsOnDisk(line, network) }
      : {}),
    commandsOnDisk: onDisk(sandbox, looking),
  };
}

/** What a session needs to decide about commands that a sandbox of another process will run. */
export type SandboxedDecisions = Pick<WorkspaceSession, "variables" | "resolver" | "isolation">;

/** As a workspace with these options would decide. Only git is run in the sandbox, to ask it. */
export async function sandboxedDecisions({
  sandbox,
  ...options
}: WorkspaceOptions & { readonly sandbox: Sandbox }): Promise<SandboxedDecisions> {
  const checked = await checkedOptions(options);
  const hidden = await ourOwn(checked.sidecars, options.store);
  const search = searchPathOf(checked, hidden);
  const tmp = await temporaryFolders(checked.roots);
  const parts = { ...checked, sandbox, search, tmp };
  const place = sessionPlace(parts);
  return {
    variables: { ...checked.variables, workspace: checked.roots, "ad-hoc": checked.adHoc, tmp: place.tmp },
    resolver: resolverAt(place, parts, { shown: new Set(), hidden }),
    isolation: sandbox.isolation,
  };
}

/**
 * A sandbox limits what a command sees and changes: only what git needs and would find hidden or closed is looked up,
 * what a deletion takes with it, and what scripts of the project a command runs. Without one, what a command would touch is looked up before it runs.
 */
function onDisk(
  sandbox: Sandbox,
  { shown, hidden, seen }: Looking,
): NonNullable<EffectResolver["commandsOnDisk"]> {
  if (sandbox.isolation === "none") return commandsOnDisk;
  return async (line, session) => {
    if (session === undefined) return [];
    const reads = await gitReads(line, session, (path) => shown.has(path));
    const writes = await gitWrites(line, session, { sandbox, hidden });
    const isNew = ({ capability, target }: Effect) =>
      !reads.some((one) => one.capability === capability && one.target === target);
    return [
      ...[...reads, ...writes.filter(isNew), ...(await removedProtected(line, session))],
      ...(await recordedNames(line, session)),
      ...(await localBranches(line, session)),
      ...(await scriptsOnDisk(line, session)),
      ...(await emptiedOnDisk(line, session)),
      ...(seen?.(line) ?? []),
    ];
  };
}

/** Folders of Toolkeep itself: what sessions keep and what decides about them. No command may see them. */
async function ourOwn(sidecars: string, store: SessionStore | undefined): Promise<readonly string[]> {
  const { config, state, data, cache, run } = directories();
  const apart = isWithin(run, state) ? [] : [run];
  const folders = [config, state, data, cache, ...apart, sidecars, ...pathOf(store)];
  return [...new Set(await Promise.all(folders.map((folder) => canonicalPath(resolve(folder)))))];
}

const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

const MOST_UNFINISHED = 100_000;

/** The folder of a store that keeps its sessions in one. */
function pathOf(store: SessionStore | undefined): readonly string[] {
  return store !== undefined && "path" in store && typeof store.path === "string" ? [store.path] : [];
}

/** Removes outputs and temporary files of finished sessions whose process has ended. Nothing depends on it. */
async function removeOldOutputs(sidecars: string, store: SessionStore | undefined): Promise<void> {
  try {
    await sweepTemporaryFolders();
    await sweepCacheLayers(cacheLayers());
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
