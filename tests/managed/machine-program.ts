import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../../scripts/root.ts";
import { bundledProgram } from "../cli/bundled-program.ts";
import { whyNoJail } from "../jail/outer-jail.ts";

/** Where the program is in the jail: as `npm install -g` of root puts it. */
const PROGRAM = "/run/lib/node_modules/toolkeep";

/** Why there is no machine with an administrator here. */
export function whyNoMachine(): string | undefined {
  const uid = lstatSync(process.execPath).uid;
  return whyNoJail("root") ?? (uid === 0 ? undefined : "Node.js of this checkout does not belong to root");
}

/** What `bwrap` shows of the program, and `/etc` of the machine, which the scene writes to. */
export async function machineMounts(): Promise<readonly string[]> {
  const dist = dirname(await bundledProgram());
  const etc = readdirSync("/etc")
    .filter((name) => !HIDDEN.includes(name))
    .flatMap((name) => {
      const path = join("/etc", name);
      return lstatSync(path).isSymbolicLink()
        ? ["--symlink", readlinkSync(path), path]
        : ["--ro-bind", path, path];
    });
  const needed = closure(join(ROOT, "packages/cli"));
  const modules = join(PROGRAM, "node_modules");
  // Folders that bwrap makes by itself are closed to users.
  const scopes = new Set(needed.map(({ name }) => dirname(join(modules, name))));
  const folders = ["/run/lib", "/run/lib/node_modules", PROGRAM, modules, ...scopes].flatMap((path) => [
    ...["--perms", "0755", "--dir", path],
  ]);
  const packages = needed.flatMap(({ name, folder }) => ["--ro-bind", folder, join(modules, name)]);
  return [
    ...["--tmpfs", "/etc", ...etc, ...folders, "--ro-bind", dist, join(PROGRAM, "dist")],
    ...["--ro-bind", join(ROOT, "packages/cli/package.json"), join(PROGRAM, "package.json")],
    ...packages,
  ];
}

/** The scene has its own. */
const HIDDEN = ["toolkeep", "claude-code", "cursor", "passwd", "group", "shadow"];

interface Found {
  readonly name: string;
  readonly folder: string;
}

/** The installed packages that a package needs, each once. */
function closure(start: string): readonly Found[] {
  const found = new Map<string, string>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
    for (const name of Object.keys(dependencies)) {
      const folder = [join(at, "node_modules", name), join(ROOT, "node_modules", name)].find(existsSync);
      if (folder === undefined || found.has(name)) continue;
      found.set(name, folder);
      open.push(folder);
    }
  }
  return [...found].map(([name, folder]) => ({ name, folder }));
}
