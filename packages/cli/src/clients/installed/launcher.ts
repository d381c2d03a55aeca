import { chmod, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { joinCommand } from "@toolkeep/core/internal";
import { directories } from "@toolkeep/node/internal";
import type { OwnCommand } from "../hook-line.ts";
import { CLEARED } from "../hook-line.ts";
import { ProjectFiles } from "./project-file.ts";

const NAME = "toolkeep";

/** The file that clients start, for all projects of this user. */
export function launcherPath(): string {
  return join(directories().state, "bin", NAME);
}

/** Writes the launcher of this user. All projects use this program from then on. */
export async function writeLauncher(local: OwnCommand): Promise<void> {
  const folder = dirname(launcherPath());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const bytes = Buffer.from(launcherText(local));
  await new ProjectFiles(folder).write({ path: NAME, bytes, mode: 0o700 });
}

/**
 * A shell script that starts the program with the Node.js it was installed with. If that is gone, it looks for another
 * one and for another installation of the program, outside of the project. If there is none, it exits with 2, which
 * blocks in every client. It uses built-in commands only, and clears what loads code into Node.js, because a project
 * may set the environment of hooks.
 */
export function launcherText([node, ...rest]: OwnCommand): string {
  const quoted = (text: string) => joinCommand([text]);
  const main = rest.at(-1) ?? "";
  return `#!/bin/sh
# Written by \`toolkeep init\`. Clients start Toolkeep with this file.
# Nothing of the environment may stand in for a built-in command, or load code into the program.
unset -f [ echo try
unset ${CLEARED.join(" ")}
node=${quoted(node)}
main=${quoted(main)}
if [ -x "$node" ] && [ -f "$main" ]; then
  # A hook is waited for, so that the user learns what to type if the program breaks.
  how=
  [ "$1" = hook ] || how=exec
  $how "$node" ${joinCommand(rest)} "$@"
  code=$?
  case $code in 0 | 2) exit $code ;; esac
  echo "Toolkeep ended with code $code before it decided, so this is blocked. Type \\\`npm install -g toolkeep\\\` to install it again." >&2
  exit 2
fi

# Starts the program with the Node.js in a folder, if there is one that can run it.
try() {
  folder=$1
  shift
  case $folder in
    "$PWD" | "$PWD"/* | "\${CLAUDE_PROJECT_DIR:-$PWD}"/* | */node_modules/*) return ;;
    /*) ;;
    *) return ;;
  esac
  [ -x "$folder/node" ] || return
  found=$main
  [ -f "$found" ] || found=$folder/../lib/node_modules/toolkeep/dist/main.js
  [ -f "$found" ] || return
  "$folder/node" -e 'process.exit(parseInt(process.versions.node, 10) < 24 ? 1 : 0)' </dev/null || return
  exec "$folder/node" "$found" "$@"
}

try "\${node%/*}" "$@"
set -f
before=$IFS
IFS=:
for one in $PATH; do
  IFS=$before
  try "$one" "$@"
done
IFS=$before
set +f
# Version managers keep the versions side by side.
for one in "\${node%/*/*/*}"/*/bin /usr/local/bin /opt/homebrew/bin /usr/bin; do
  try "$one" "$@"
done
echo "Toolkeep cannot start, so this is blocked: $node or $main is gone, and no other Node.js 24 with Toolkeep was found." >&2
echo "Type \\\`npm install -g toolkeep\\\` with Node.js 24 or newer. To remove Toolkeep from this project, type \\\`npx toolkeep uninstall\\\` with the name of the client." >&2
exit 2
`;
}
