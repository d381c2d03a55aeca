import { chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../../scripts/root.ts";
import { OWN_COMMAND, OWN_LINE } from "../cli/cli-bench.ts";

/** A machine with users can be made by root alone. */
export const canHaveUsers = process.platform === "linux" && process.getuid?.() === 0;

export type Argv = readonly [string, ...string[]];

/** Accounts by name, each with its number. */
type Users = Readonly<Record<string, number>>;

/**
 * A machine with its own users, `/etc`, `/home`, `/opt`, `/srv` and `/var/lib`, which are folders of a test. What runs
 * there sees nothing else of this one but its programs. `isolated`: options of bubblewrap.
 */
export function userJail<Names extends Users>(base: string, users: Names, isolated: readonly string[]) {
  const folders = ["etc", "home", "opt", "srv", "var/lib"];
  for (const folder of [...folders, "bin"]) mkdirSync(join(base, folder), { recursive: true, mode: 0o755 });
  const put = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(base, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(base, path), text, { mode });
  };
  const accounts = Object.entries(users).map(([name, id]) => `${name}:x:${id}:${id}::/home/${name}:/bin/sh`);
  put("etc/passwd", ["root:x:0:0::/root:/bin/sh", ...accounts, ""].join("\n"));
  put(
    "etc/group",
    ["root:x:0:", ...Object.entries(users).map(([name, id]) => `${name}:x:${id}:`), ""].join("\n"),
  );
  put("etc/machine-id", `${"0123456789abcdef".repeat(2)}\n`);
  put("bin/toolkeep", `#!/bin/sh\nexec ${OWN_LINE} "$@"\n`, 0o755);
  put("bin/node", `#!/bin/sh\nexec ${OWN_COMMAND[0]} "$@"\n`, 0o755);
  for (const [name, id] of Object.entries(users)) {
    mkdirSync(join(base, "home", name), { mode: 0o700 });
    chownSync(join(base, "home", name), id, id);
  }
  const modules = ["node_modules", "packages/cli/node_modules"].map((path) => join(ROOT, path));
  const program = [join(OWN_COMMAND[1], "../../../.."), ...modules.filter(existsSync), OWN_COMMAND[0]];
  const jail = [
    ...["--die-with-parent", "--cap-add", "ALL", ...isolated],
    ...["/usr", "/bin", "/lib", "/lib64", "/sbin"].flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--tmpfs", "/usr/local", "--ro-bind", join(base, "bin"), "/usr/local/bin"],
    ...["--dev", "/dev", "--proc", "/proc", "--perms", "1777", "--tmpfs", "/tmp"],
    ...folders.flatMap((path) => ["--bind", join(base, path), `/${path}`]),
    // The checkout may lie in one of these folders. The folders above the program are made for root alone, if they are not named.
    ...program.flatMap(foldersAbove).flatMap((path) => ["--perms", "0755", "--dir", path]),
    ...program.flatMap((path) => ["--ro-bind", path, path]),
    ...["--chdir", "/"],
  ];
  return {
    put,
    root: (...argv: readonly string[]): Argv => ["/usr/bin/bwrap", ...jail, "--", ...argv],
    as(user: keyof Names & string, folder: string, ...argv: readonly string[]): Argv {
      const become = ["setpriv", `--reuid=${users[user]}`, `--regid=${users[user]}`, "--clear-groups", "--"];
      return ["/usr/bin/bwrap", ...jail, "--chdir", folder, "--", ...become, ...argv];
    },
  };
}

function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return ["/", "/tmp"].includes(above) ? [] : [...foldersAbove(above), above];
}
