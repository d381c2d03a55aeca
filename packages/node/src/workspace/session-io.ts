import { type Io, ToolFailure } from "@toolkeep/core";
import type { EffectResolver, Grant } from "@toolkeep/core/ports";
import type { FolderSidecar } from "@toolkeep/sqlite/internal";
import { guardedCode } from "../code/guarded-code.ts";
import { declaredEnvironment } from "../environment/declared-environment.ts";
import type { FoundCaches } from "../environment/project-caches.ts";
import type { SearchPath } from "../environment/search-path.ts";
import { guardedNetwork } from "../network/guarded-network.ts";
import { npmConfiguration } from "../network/npm-registries.ts";
import { openCommandProxy } from "../network/proxy/open-command-proxy.ts";
import type { CommandParts } from "../processes/command-parts.ts";
import { guardedCommands } from "../processes/guarded-commands.ts";
import type { Spawner } from "../processes/spawner.ts";
import { ownWrites } from "../sandbox/contain/commit/own-writes.ts";
import { containFolder } from "../sandbox/contain/containment-of.ts";
import { sandboxProfileFor } from "../sandbox/sandbox-profile.ts";
import { behindBarrier, withoutCommands } from "./access-barrier.ts";
import { boundedCommands } from "./bounded-commands.ts";
import type { CheckedOptions } from "./checked-options.ts";
import type { ContainedCommands } from "./contained-commands.ts";
import { sessionFiles } from "./session-files.ts";
import { TEMPORARY } from "./session-paths.ts";
import { type SessionPlace, sandboxHome } from "./session-place.ts";
import type { WorkspaceOptions } from "./workspace.ts";

/** What a workspace has for all its sessions. */
export interface WorkspaceParts extends CheckedOptions {
  readonly sandbox: NonNullable<WorkspaceOptions["sandbox"]>;
  readonly hidden: readonly string[];
  readonly search: SearchPath;
  /** Looked for once, before the first command that builds something. */
  readonly caches: () => FoundCaches;
  /** The machine's folders for temporary files. */
  readonly tmp: readonly string[];
  /** Where the proxies of commands listen, each in a folder of its own. */
  readonly proxies: string;
}

export interface SessionIoParts extends WorkspaceParts {
  readonly spawner: Spawner;
  readonly resolver: EffectResolver;
  readonly place: SessionPlace;
  /** Files that a call was allowed to open to all commands of the session. */
  readonly shown: ReadonlySet<string>;
  readonly sessionId: string;
  /** Missing where no command is contained. */
  readonly containing: ContainedCommands | undefined;
}

/** The I/O of one call in a session. */
export function sessionIo(given: Grant, sidecar: FolderSidecar, parts: SessionIoParts): Io {
  const grant = behindBarrier(given);
  const direct = withoutCommands(grant);
  const { roots, limits, environment, place, hidden } = parts;
  const { temporary } = place;
  const fileLimits = limits?.files === undefined ? {} : { limits: limits.files };
  const plain = (granted: Grant) => guardedCommands(granted, commandParts(granted, sidecar, parts));
  const commandsOf = (granted: Grant) => parts.containing?.saying(granted, plain(granted)) ?? plain(granted);
  return {
    files: sessionFiles(direct, place.paths, {
      root: roots[0],
      ...fileLimits,
      own: ownWritesOf(grant, parts),
    }),
    network: guardedNetwork(direct, parts.network),
    commands:
      temporary === undefined ? commandsOf(grant) : boundedCommands(grant, temporary.watch, commandsOf),
    environment: declaredEnvironment(grant, environment.values),
    code: guardedCode(direct, {
      ...commandParts(grant, sidecar, parts),
      unseen: [...hidden, ...roots, parts.home],
    }),
  };
}

function ownWritesOf({ toolName, callId }: Grant, { contain, roots, sessionId }: SessionIoParts) {
  if (contain === undefined || contain.commands === "all") return undefined;
  const { folder = containFolder(), onOutcome } = contain;
  return ownWrites({
    ...{ folder, project: roots[0], toolName, by: { callId, sessionId } },
    onKept: (number, kept) =>
      onOutcome?.({ number, kept, held: [], refused: [], pretended: [], seen: [] }, callId),
  });
}

function commandParts(grant: Grant, sidecar: FolderSidecar, parts: SessionIoParts): CommandParts {
  const { sandbox, spawner, resolver, limits, guarded } = parts;
  return {
    spawner,
    sandbox,
    sidecar,
    async sandboxProfileFor(command) {
      const profile = await sandboxProfileFor(grant, {
        ...directoryOf(parts),
        ...(guarded === undefined ? {} : { guarded: guarded() }),
      });
      const contained = parts.containing?.containmentFor(grant, command);
      if (contained === undefined && grant.contained === true)
        throw new ToolFailure(
          "unavailable",
          "The command cannot be contained: this workspace contains none.",
        );
      if (contained === undefined) return profile;
      // What a line writes to a file is decided about afterwards, and so is no effect here.
      const writes = profile.write.length === 0 && contained.line.includes(">");
      return { ...profile, ...(writes && { write: [contained.project] }), hosts: [], contained };
    },
    parse: resolver.parseCommand,
    proxyFor: ({ cwd, ...way }) =>
      openCommandProxy({
        ...way,
        isStillAllowed: grant.isStillAllowed,
        settings: parts.network,
        folder: parts.proxies,
        npmrc: npmConfiguration(cwd),
      }),
    ...(limits?.commands === undefined ? {} : { limits: limits.commands }),
  };
}

/** Without a sandbox a command has the machine's folders under their own names. */
function directoryOf(parts: SessionIoParts) {
  const { roots, environment, hidden, search, home, place, resolver, onNote } = parts;
  const { temporary, paths } = place;
  const shared = { roots, shown: [...parts.shown], ...(onNote === undefined ? {} : { onNote }) };
  const own = { PATH: search.value, ...environment.passed };
  if (temporary === undefined) return { ...shared, hidden, environment: own };
  const folder = temporary.folder.path();
  const { isMounted } = temporary;
  return {
    ...shared,
    hidden: [...hidden, ...search.hidden],
    environment: { ...own, HOME: sandboxHome(home), TMPDIR: isMounted ? TEMPORARY : folder },
    programs: search.programs,
    ...(parts.sandbox.mountsCaches === true ? { caches: parts.caches } : {}),
    ...(resolver.isShown === undefined ? {} : { isShown: resolver.isShown }),
    ...(isMounted ? { temporary: { folder, isTemporary: paths.isTemporary } } : {}),
  };
}
