import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createRedactor, type Foresee, type Grant, type Io, ToolkeepError } from "@toolkeep/core";
import { parseCommand } from "../commands/parse-command.ts";
import { places } from "../config/places.ts";
import { declaredEnvironment } from "../environment/declared-environment.ts";
import { canonicalPath } from "../files/canonical-path.ts";
import { guardedFiles } from "../files/guarded-files.ts";
import { guardedNetwork } from "../network/guarded-network.ts";
import { guardedCommands } from "../processes/guarded-commands.ts";
import { startSpawner } from "../processes/start-spawner.ts";
import { openSandbox } from "../sandbox/open-sandbox.ts";
import { wallsFor } from "../sandbox/walls-for.ts";
import { type FolderSidecar, folderSidecar } from "../sidecars/folder-sidecar.ts";
import type { Store } from "../stores/store.ts";
import { rootedFiles } from "./rooted-files.ts";
import type { Workspace, WorkspaceOptions, WorkspaceSession } from "./workspace.ts";

/**
 * Opens a place for agents to work in: real hands, real walls, and stores where they were given. To be called
 * early: the process that starts commands is best started while ours is small.
 * @throws ToolkeepError `invalid_option` for a folder that is not there, and where no walls hold.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const roots = await Promise.all(options.roots.map(realFolder));
  const adHoc = await Promise.all((options.adHoc ?? []).map(canonicalPath));
  const spawner = await startSpawner();
  const sandbox = options.sandbox ?? (await openSandbox());
  const { values = process.env, pass = [] } = options.environment ?? {};
  const passed = Object.fromEntries(pass.flatMap((name) => entryOf(values, name)));
  const [root = ""] = roots;
  const sidecars = options.sidecars ?? join(places().cache, "sidecars");
  const hidden = await ourOwn(sidecars, options.store);
  const foresee: Foresee = { canonicalPath, parseCommand: (line) => parseCommand(line, { home: homedir() }) };

  function handsOf(grant: Grant, sidecar: FolderSidecar): Io {
    return {
      files: rootedFiles(guardedFiles(grant, options.limits?.files), root),
      network: guardedNetwork(grant, options.network),
      commands: guardedCommands(grant, {
        spawner,
        sandbox,
        sidecar,
        wallsFor: () => wallsFor(grant, { roots, environment: passed, hidden }),
        parse: foresee.parseCommand,
        ...(options.limits?.commands === undefined ? {} : { limits: options.limits.commands }),
      }),
      environment: declaredEnvironment(grant, values),
    };
  }

  return Object.freeze<Workspace>({
    sandboxGrade: sandbox.grade,
    session({ sessionId = randomUUID(), redactor = createRedactor() } = {}): WorkspaceSession {
      const sidecar = folderSidecar({ folder: sidecars, sessionId, redactor });
      return {
        sessionId,
        variables: { workspace: roots, "ad-hoc": adHoc },
        foresee,
        grantIo: (grant) => handsOf(grant, sidecar),
        sandboxGrade: sandbox.grade,
        sidecar,
        redactor,
        ...(options.store === undefined
          ? {}
          : {
              journal: options.store.journal(sessionId),
              pending: options.store.pending,
              projectApprovals: options.store.projectApprovals(root),
            }),
      };
    },
    close: () => spawner.close(),
  });
}

/** What sessions keep, and what decides about them: no command may see any of it, wherever it lies. */
async function ourOwn(sidecars: string, store: Store | undefined): Promise<readonly string[]> {
  const { config, state, data, cache } = places();
  const folders = [config, state, data, cache, sidecars, ...(store === undefined ? [] : [store.folder])];
  return [...new Set(await Promise.all(folders.map((folder) => canonicalPath(resolve(folder)))))];
}

async function realFolder(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    throw new ToolkeepError("invalid_option", `There is no folder ${path} to work in.`, { cause });
  }
}

function entryOf(
  values: Readonly<Record<string, string | undefined>>,
  name: string,
): readonly (readonly [string, string])[] {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === undefined ? [] : [[name, value]];
}
