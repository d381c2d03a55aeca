import type { ReadServerFile } from "./read-server-file.ts";
import type { McpDiagnostic } from "./server-diagnostic.ts";
import type { ServerEntry } from "./server-entry.ts";
import { serverFingerprint } from "./server-fingerprint.ts";

interface NamedServers {
  readonly servers: readonly ServerEntry[];
  readonly diagnostics: readonly McpDiagnostic[];
}

/**
 * One server for each name: the first, with the user's files before those of a project. A name that the user has given
 * stays the user's while its server is off or invalid, because rules refer to it. If a file of the user is refused, its
 * names are unknown, and no server of the project is used.
 */
export function withoutTakenNames(files: readonly ReadServerFile[]): NamedServers {
  const diagnostics: McpDiagnostic[] = [];
  const ofUser = files.filter(({ isOfProject }) => !isOfProject);
  const reserved = new Set(ofUser.flatMap(({ unused }) => unused));
  const isUnclear = ofUser.some(({ isRefused }) => isRefused === true);
  const byName = new Map<string, ServerEntry>();
  let unclear = 0;
  for (const server of files.flatMap(({ servers }) => servers)) {
    const first = byName.get(server.name);
    if (server.isOfProject && isUnclear) unclear += 1;
    else if (first !== undefined) {
      if (serverFingerprint(first) !== serverFingerprint(server))
        diagnostics.push(leftOut(server, `${first.file} has another server with this name`));
    } else if (server.isOfProject && reserved.has(server.name)) {
      diagnostics.push(leftOut(server, "the user has a server with this name, which is off or invalid"));
    } else byName.set(server.name, server);
  }
  if (unclear > 0) {
    diagnostics.push({
      code: "servers_ignored",
      message: `The project's servers are ignored (${unclear}): a file of the user is refused, so the names of the user's servers are unknown.`,
      hint: "Fix the user's file.",
    });
  }
  return { servers: [...byName.values()], diagnostics };
}

function leftOut({ name, file }: ServerEntry, why: string): McpDiagnostic {
  return {
    ...(file === undefined ? {} : { file }),
    server: name,
    code: "server_ignored",
    message: `The server is ignored: ${why}.`,
    hint: "Rename one of them.",
  };
}
