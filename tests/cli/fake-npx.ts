import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OWN_COMMAND } from "./cli-bench.ts";

const installed = (path: string) => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));

/** Published programs that are installed here. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  toolkeep: OWN_COMMAND,
  "@modelcontextprotocol/server-filesystem": [
    process.execPath,
    installed("@modelcontextprotocol/server-filesystem/dist/index.js"),
  ],
  "@modelcontextprotocol/server-memory": [
    process.execPath,
    installed("@modelcontextprotocol/server-memory/dist/index.js"),
  ],
};

/**
 * The only difference between the tests and the guide: a folder for the front of `PATH` with an `npx` that starts
 * locally installed packages, and with the `toolkeep` that `npm install -g` would install.
 */
export function fakeNpx(base: string): string {
  const folder = join(base, "bin");
  mkdirSync(folder, { recursive: true });
  const quoted = (args: readonly string[]) =>
    args.map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`).join(" ");
  const cases = Object.entries(PROGRAMS).map(
    ([name, args]) => `  ${name}|${name}@*) exec ${quoted(args)} "$@" ;;`,
  );
  const script = [
    "#!/bin/sh",
    '[ "$1" = -y ] && shift',
    "name=$1; shift",
    'case "$name" in',
    ...cases,
    "esac",
    'echo "npx: $name is not installed here" >&2; exit 1',
  ].join("\n");
  const program = `#!/bin/sh\nexec ${quoted(OWN_COMMAND)} "$@"`;
  for (const [name, text] of Object.entries({ npx: script, toolkeep: program })) {
    writeFileSync(join(folder, name), `${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}
