import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, lstat, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { InstallRecord } from "../../clients/installed/install-record.ts";
import { launcherPath, launcherText } from "../../clients/installed/launcher.ts";
import { VERSION } from "../../terminal/version.ts";
import { type Checked, type Finding, NOTHING, part } from "./finding.ts";

const { gap, note, is } = part("launcher");
const START_MS = 30_000;

/** The file that clients start: whether it is there and ours, what it starts, and in which version. */
export async function checkLauncher(installed: readonly InstallRecord[]): Promise<Checked> {
  const [record] = installed;
  if (record === undefined) return NOTHING;
  const viaNpx = installed.find(({ own }) => own[0] === "npx");
  if (viaNpx !== undefined) return is(viaNpx.own.join(" "), npx(viaNpx));
  if (record.own[0] !== launcherPath()) return is(record.own.join(" "));
  return examined(`toolkeep init ${record.client}`);
}

function npx({ client }: InstallRecord): Finding {
  return note(
    "started_by_npx",
    "The node_modules and the .npmrc of the project decide which program `npx` starts.",
    `npm install -g toolkeep && toolkeep init ${client}`,
  );
}

async function examined(fix: string): Promise<Checked> {
  const path = launcherPath();
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined)
    return is("missing", gap("launcher_missing", `${path} is gone, so the hooks cannot start.`, fix));
  const [node, main] = [assigned(text, "node"), assigned(text, "main")];
  const findings: Finding[] = [];
  if (await isOpen(path))
    findings.push(gap("launcher_writable", `Other users may write ${path}.`, `chmod 700 ${path}`));
  if (fixedPart(text) !== fixedPart(launcherText(["", ""])))
    findings.push(gap("launcher_changed", `${path} is not what this version writes.`, fix));
  if (!(await isThere(main, constants.R_OK)))
    findings.push(gap("program_moved", `The program is no longer at ${main}.`, fix));
  if (!(await isThere(node, constants.X_OK)))
    findings.push(
      gap("node_gone", `Node.js is no longer at ${node}; the launcher looks for another one.`, fix),
    );
  const version = findings.some(({ code }) => code === "launcher_changed")
    ? undefined
    : await versionOf(path);
  if (version !== undefined && version !== VERSION)
    findings.push(note("launcher_version", `Clients start version ${version}, and this is ${VERSION}.`, fix));
  return is(version === undefined ? "does not start" : `${version}, ${main}`, ...findings);
}

/** The value of a variable that the launcher sets. The paths that need quotes have them. */
function assigned(text: string, name: string): string {
  const value = new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
  return value.startsWith("'") ? value.slice(1, -1).replaceAll("'\\''", "'") : value;
}

/** The lines that name paths. */
const PATHS = /^(?:node=| {2}\$how "\$node" |main=).*$/gm;

/** What does not depend on the paths. */
function fixedPart(text: string): string {
  return text.replaceAll(PATHS, "");
}

async function isOpen(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && (!found.isFile() || (found.mode & 0o022) !== 0);
}

const isThere = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  );

async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: START_MS });
    return stdout.trim().slice(0, 40) || undefined;
  } catch {
    return undefined;
  }
}
