import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ROOT } from "../../scripts/root.ts";
import { bundledProgram } from "../cli/bundled-program.ts";
import { installedProgram } from "../day/clients/client-package.ts";
import { clientCalled } from "../day/clients/clients.ts";
import { JAIL_USER, runInJail } from "../jail/outer-jail.ts";
import { type Day, HOME } from "./day.ts";
import { DOCKER_SOCKET, NAME_SERVER } from "./world/hosts.ts";
import type { Row } from "./world/play-day.ts";
import type { Plan } from "./world/play-in-jail.ts";
import { CLIENT_FOLDER } from "./world/real-agent.ts";

const FOLDER = join(ROOT, ".cache/days");
const TOOLS = join(FOLDER, "tools");
const LONGEST_MS = 20 * 60_000;

/** Programs that come from a registry, where it can be reached. */
const FROM_NPM = ["pnpm@9.15.9", "vite@5.4.21"];
const FROM_PYPI = ["ruff", "uvicorn", "click", "h11"];

/** Every address leads to the jail itself, and its user serves at every port. */
const NETWORK = "ip route add local default dev lo; echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start";

/** A machine with the home of a day, once for each play. */
export async function playWorld(
  day: Day,
  plan: Omit<Plan, "day" | "make">,
  bare: readonly string[] = [],
): Promise<string> {
  const made = await madeHome(day, plan.only !== undefined);
  const world = emptyWorld(`${day.name}-${plan.result}-${process.pid}`);
  for (const part of ["home", "postgres"])
    execFileSync("cp", ["-a", "--reflink=auto", join(made, part), world]);
  for (const path of bare) copyFileSync(path, join(world, "exchange", basename(path)));
  await inWorld(world, day, {
    ...plan,
    day: day.name,
    ...(bare.length > 0 && { bare: bare.map((path) => basename(path)) }),
  });
  const result = join(FOLDER, "results", `${day.name}-${plan.result}`);
  mkdirSync(dirname(result), { recursive: true });
  copyFileSync(join(world, "exchange", plan.result), result);
  execFileSync("rm", ["-rf", world]);
  return result;
}

export function rowsIn(result: string): readonly Row[] {
  return JSON.parse(readFileSync(result, "utf8")) as readonly Row[];
}

const making = new Map<string, Promise<string>>();

/** The home is made once, and again when the day or Toolkeep changes. For a short play, nothing is got from a registry. */
function madeHome(day: Day, isShort: boolean): Promise<string> {
  const made = making.get(day.name) ?? makeHome(day, isShort);
  making.set(day.name, made);
  return made;
}

async function makeHome(day: Day, isShort: boolean): Promise<string> {
  const program = dirname(dirname(dirname(dirname(await bundledProgram()))));
  const stamp = createHash("sha256")
    .update(JSON.stringify([day, isShort]))
    .update(program)
    .digest("hex")
    .slice(0, 12);
  const made = join(FOLDER, "made", `${day.name}-${stamp}`);
  if (existsSync(made)) return made;
  if (isShort) mkdirSync(TOOLS, { recursive: true });
  else getTools();
  const world = emptyWorld(`${day.name}-made-${process.pid}`);
  await inWorld(world, day, { day: day.name, make: true, result: "" });
  mkdirSync(dirname(made), { recursive: true });
  renameSync(world, made);
  return made;
}

function emptyWorld(name: string): string {
  const world = join(FOLDER, "worlds", name);
  rmSync(world, { recursive: true, force: true });
  for (const part of ["home", "postgres", "exchange", "../../contents"]) {
    mkdirSync(join(world, part), { recursive: true, mode: 0o755 });
    chownSync(join(world, part), JAIL_USER, JAIL_USER);
  }
  chmodSync(join(world, "postgres"), 0o700);
  return world;
}

async function inWorld(world: string, day: Day, plan: Plan): Promise<void> {
  const program = dirname(dirname(dirname(dirname(await bundledProgram()))));
  const file = (name: string, text: string) => {
    writeFileSync(join(world, name), text, { mode: 0o644 });
    return join(world, name);
  };
  const user = `ada:x:${JAIL_USER}:${JAIL_USER}::${HOME}:/bin/bash\n`;
  const { exitCode, stderr } = await runInJail({
    script: join(import.meta.dirname, "world/play-in-jail.ts"),
    as: "user",
    network: NETWORK,
    timeoutMs: LONGEST_MS,
    mounts: [
      ...[
        "--tmpfs",
        join(ROOT, ".cache"),
        "--tmpfs",
        "/srv",
        "--perms",
        "0777",
        "--tmpfs",
        dirname(DOCKER_SOCKET),
      ],
      ...["--bind", join(world, "home"), HOME, "--bind", join(world, "postgres"), "/srv/postgres"],
      ...[
        "--bind",
        join(world, "exchange"),
        "/srv/exchange",
        "--bind",
        join(FOLDER, "contents"),
        "/srv/contents",
      ],
      ...["--ro-bind", installed(world, day), "/usr/local"],
      ...["--ro-bind", TOOLS, "/usr/local/lib", "--ro-bind", program, "/usr/local/toolkeep"],
      ...(plan.real === undefined ? [] : ["--ro-bind", await clientFolder(plan.real.client), CLIENT_FOLDER]),
      ...["--ro-bind", file("plan.json", JSON.stringify(plan)), "/srv/plan.json"],
      ...["--ro-bind", file("passwd", readFileSync("/etc/passwd", "utf8") + user), "/etc/passwd"],
      ...["--ro-bind", file("resolv.conf", `nameserver ${NAME_SERVER}\n`), "/etc/resolv.conf"],
    ],
  });
  if (exitCode !== 0) throw new Error(`${day.name} ended with ${exitCode}: ${stderr.slice(-2_000)}`);
}

/** Programs of the user that no package manager of the system has, and the stubs. */
function installed(world: string, { stubs }: Day): string {
  const folder = join(world, "local");
  for (const part of ["bin", "lib", "toolkeep", "client"]) mkdirSync(join(folder, part), { recursive: true });
  linkSync(realpathSync(process.execPath), join(folder, "bin/node"));
  for (const name of ["pnpm", "vite", "esbuild"])
    symlinkSync(`../lib/node_modules/.bin/${name}`, join(folder, "bin", name));
  for (const [name, target] of Object.entries(stubs)) {
    const text = target.startsWith("#!") ? target : stub(name, target);
    writeFileSync(join(folder, "bin", name), text, { mode: 0o755 });
  }
  return folder;
}

/** Where the package of a real client is installed. */
async function clientFolder(name: string): Promise<string> {
  const wanted = clientCalled(name).package;
  const program = await installedProgram(wanted);
  return program.slice(0, -wanted.program.length - 1);
}

/** It says to its host what it was asked to do, and prints the reply. */
function stub(name: string, target: string): string {
  const where = target.startsWith("/")
    ? `--unix-socket ${target} http://socket/stub`
    : `http://${target}/stub`;
  return `#!/bin/sh\nexec curl -sS --fail --max-time 10 --data-binary "${name} $*" ${where}\n`;
}

/** What cannot be got is missing: the steps that need it are not played. */
function getTools(): void {
  if (existsSync(join(TOOLS, "wheels"))) return;
  mkdirSync(join(TOOLS, "wheels"), { recursive: true });
  const get = (program: string, ...args: readonly string[]) => {
    try {
      execFileSync(program, args, { cwd: TOOLS, stdio: "ignore" });
    } catch {
      // There is no registry, or no such program.
    }
  };
  get("npm", "install", "--prefix", TOOLS, ...FROM_NPM);
  get(
    "/usr/bin/python3",
    "-m",
    "pip",
    "download",
    "-q",
    "--no-deps",
    "-d",
    join(TOOLS, "wheels"),
    ...FROM_PYPI,
  );
}
