import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { joinCommand } from "@toolkeep/core/internal";
import { directories, foreignEntry, whyNotRoots } from "@toolkeep/node/internal";
import type { OwnCommand } from "../hook-line.ts";

/** The folder of the administrator, which has the policy, the launcher and the records of managed installations. */
export function managedFolder(): string {
  return dirname(directories().managedConfig);
}

/** The file that clients start on a machine with a managed installation. Only root can write it. */
export function managedLauncherPath(): string {
  return join(managedFolder(), "bin", "toolkeep");
}

/**
 * What a client tells its hook, and where programs are, which a decision about a command line depends on. Everything
 * else is cleared: a project may set the environment of hooks. `HOME` is left out, so the account database names the
 * home folder.
 */
const PASSED = [
  ...["PATH", "LANG", "CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "CLAUDE_CODE_SESSION_ATTENDED"],
  ...["CLAUDE_CONFIG_DIR", "CODEX_HOME"],
];

/** A shell script that starts the program by absolute paths, in a new environment. It uses built-in commands only. */
export function managedLauncherText(own: OwnCommand): string {
  const passed = PASSED.map((name) => `\${${name}+"${name}=$${name}"}`).join(" ");
  return `#!/bin/sh
# Written by \`toolkeep init --managed\`. Clients start Toolkeep with this file.
exec /usr/bin/env -i ${passed} TOOLKEEP_REQUIRE_MANAGED=1 \\
  ${joinCommand(own)} "$@"
`;
}

/** Why a user could replace what the launcher starts, or could not start it; `undefined` if all is well. */
export function whyNotManaged([node, ...rest]: OwnCommand): string | undefined {
  const main = rest.at(-1) ?? "";
  const program = programFolder(main);
  return (
    [node, main, program, "/bin/sh", "/usr/bin/env"].map(whyNotRoots).find(Boolean) ??
    [node, main].map(hiddenFrom).find(Boolean) ??
    foreignWithin(program)
  );
}

/** Which folder or file keeps other users from starting a program. */
function hiddenFrom(path: string): string | undefined {
  const found = statSync(path);
  const needed = found.isDirectory() ? 0o001 : 0o004;
  if ((found.mode & needed) === 0) return `other users cannot read ${path}`;
  return dirname(path) === path ? undefined : hiddenFrom(dirname(realpathSync(path)));
}

/** Where all code of the program is: the `node_modules` that it is installed in, or its own package. */
function programFolder(main: string): string {
  const at = main.indexOf(`${sep}node_modules${sep}`);
  if (at >= 0) return main.slice(0, at + `${sep}node_modules`.length);
  const folder = dirname(main);
  return existsSync(join(folder, "package.json")) ? folder : dirname(folder);
}

function foreignWithin(folder: string): string | undefined {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const why =
      foreignEntry(path, lstatSync(path)) ?? (entry.isDirectory() ? foreignWithin(path) : undefined);
    if (why !== undefined) return why;
    if (entry.isSymbolicLink() && existsSync(path) && whyNotRoots(realpathSync(path)) !== undefined)
      return whyNotRoots(realpathSync(path));
  }
  return undefined;
}
