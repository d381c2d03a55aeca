import { randomBytes, randomInt } from "node:crypto";
import { readdirSync, readFileSync, type Stats } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { errorText } from "@toolkeep/core/internal";
import type { IsolationLevel, Sandbox, SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { markerFor } from "../../processes/process-tree.ts";
import { runProcess } from "../../processes/run-process.ts";
import type { SandboxUser } from "../host/sandbox-user.ts";
import { type ProbeName, probeScript, readSections } from "./probe-script.ts";
import { type ProbeStage, setProbeStage } from "./probe-stage.ts";

/** What came of one try to break out. */
export interface ProbeResult {
  readonly tries: ProbeName;
  /** `untried` is treated as `open`, on every platform: what was not proven is not claimed. */
  readonly result: "held" | "open" | "untried";
}

/** What was proven of a sandbox. */
export interface ProbeReport {
  readonly isolation: IsolationLevel;
  readonly probes: readonly ProbeResult[];
  /** Why nothing could be tried. */
  readonly error?: string;
}

/** Tries to break out of a sandbox with one command in a folder of its own, and reports what was blocked. */
export async function probeSandbox(sandbox: Sandbox, runAs?: SandboxUser): Promise<ProbeReport> {
  const user = process.getuid?.() === 0 ? (runAs ?? { uid: 65_534, gid: 65_534 }) : undefined;
  const stage = await setProbeStage(user);
  try {
    if (!(await canConnect(stage.port))) return unproven("our own listener cannot be reached");
    const reached = stage.connections();
    const seconds = oddSeconds();
    const command = await sandbox.wrap(["/bin/sh", "-c", scriptFor(stage, seconds)], profileOf(stage));
    try {
      const run = await runProbe(command, join(dirname(stage.workspace), "output"));
      const sections = readSections(run.output);
      if (sections === undefined) return unproven(run.error);
      const isFiltered = command.namespace?.filter !== undefined;
      const isLeft = isRunning(seconds);
      const asRoot = user?.uid === 0;
      const probes = await evaluate({ stage, sections, reached, isLeft, isFiltered, asRoot });
      return { isolation: isolationOf(probes.filter((probe) => decides(probe, command))), probes };
    } finally {
      // Only now: it removes what a probe could create, and what it could create was evaluated.
      await command.done?.().catch(() => {});
    }
  } catch (error) {
    return unproven(errorText(error));
  } finally {
    await stage.strike();
  }
}

function unproven(error: string): ProbeReport {
  return { isolation: "none", probes: [], error };
}

function scriptFor({ workspace, outside, port, victim }: ProbeStage, seconds: string): string {
  return probeScript({ workspace, outside, port, seconds, victim: victim.pid ?? 0 });
}

/** A time to sleep that no other process sleeps for. In whole seconds: some programs take no fractions. */
function oddSeconds(): string {
  return `${100_000 + randomInt(900_000)}`;
}

function profileOf({ workspace }: ProbeStage): SandboxProfile {
  const environment = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", HOME: "/home/toolkeep" };
  return { read: [], write: [workspace], guarded: [], hidden: [], hosts: [], environment, cwd: workspace };
}

/** The control: what cannot be reached from outside proves nothing from within. */
function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
  });
}

const LONGEST_MS = 20_000;
const MOST_OUTPUT = 1_000_000;

interface ProbeRun {
  readonly output: string;
  /** What the sandbox printed, if the script did not end. */
  readonly error: string;
}

/** Like any other command, so that what it leaves running is ended like what any other leaves. */
async function runProbe(command: SandboxedCommand, outputPath: string): Promise<ProbeRun> {
  const { marker, environment } = markerFor(randomBytes(16).toString("hex"));
  const { ended, kill } = await runProcess({
    ...{ ...command, environment: { ...command.environment, ...environment }, marker },
    streams: { outputPath, outputLimit: MOST_OUTPUT },
  });
  const timer = setTimeout(() => kill(0), LONGEST_MS);
  await ended.finally(() => clearTimeout(timer));
  const output = await readFile(outputPath, "latin1");
  return { output, error: output.trim().slice(-1_000) || "the command did not come to its end" };
}

interface Outcome {
  readonly stage: ProbeStage;
  readonly sections: ReadonlyMap<string, string>;
  /** Connections there were before. */
  readonly reached: number;
  /** Whether the process that it left behind is still there. */
  readonly isLeft: boolean;
  /** Whether it was started with our filter for system calls. */
  readonly isFiltered: boolean;
  /** Whether it was meant to run as a root without rights. */
  readonly asRoot: boolean;
}

/** Observed from outside if possible, else as the script reports it. */
async function evaluate(outcome: Outcome): Promise<readonly ProbeResult[]> {
  const { stage, sections, reached, isLeft } = outcome;
  const reports = (name: ProbeName, text: string) => sections.get(name)?.includes(text) === true;
  const isLinux = process.platform === "linux";
  const settings = await readFile(join(stage.workspace, ".git/config"), "utf8");
  const hooks = await readdir(join(stage.workspace, ".git/hooks"));
  const made = await stat(join(stage.workspace, "made")).catch(() => undefined);
  const network = stage.connections() > reached;
  const held = (tries: ProbeName, isHeld: boolean): ProbeResult => ({
    tries,
    result: isHeld ? "held" : "open",
  });
  const onLinux = (probe: ProbeResult): ProbeResult => (isLinux ? probe : { ...probe, result: "untried" });
  return [
    held("write outside", !(await readdir(stage.outside)).includes("made")),
    held("read outside", !reports("read outside", stage.canary)),
    held("read a secret", !reports("read a secret", stage.canary)),
    held("change settings", settings === "" && hooks.length === 0),
    held("read our environment", !tellsOfUs(sections.get("read our environment") ?? "")),
    // A workspace that cannot be written to would prove nothing of what is outside.
    made === undefined
      ? { tries: "be root", result: "untried" }
      : held("be root", outcome.asRoot ? hasNoRights(made, sections) : made.uid !== 0),
    onLinux(held("change the kernel", !reports("change the kernel", "WRITTEN"))),
    onLinux(
      reports("make namespaces", "MISSING")
        ? { tries: "make namespaces", result: "untried" }
        : held("make namespaces", !reports("make namespaces", "MADE")),
    ),
    held(
      "touch processes",
      !reports("touch processes", "SEEN") &&
        stage.victim.signalCode === null &&
        stage.victim.exitCode === null,
    ),
    onLinux(held("leave a process", !isLeft)),
    ...CALLED.map((tries) => onLinux({ tries, result: calledResult(tries, outcome) })),
    reports("reach the network", "MISSING")
      ? { tries: "reach the network", result: "untried" }
      : held("reach the network", !network),
  ];
}

/** A root that owns its files, and nothing more: no capabilities, none to get, and none of its rights to lend. */
function hasNoRights({ mode }: Stats, sections: ReadonlyMap<string, string>): boolean {
  const reports = sections.get("be root") ?? "";
  const capabilities = reports.match(/^Cap\w+:\t0+$/gm) ?? [];
  return capabilities.length === 3 && (mode & 0o6000) === 0 && !reports.includes("WRITABLE");
}

/**
 * System calls are filtered by the sandbox that gives its command a process namespace, and so must be blocked by it.
 * For the others it does not decide that one succeeds: they protect files and the network by other means. It does decide
 * that one could not be tried.
 */
function decides({ tries, result }: ProbeResult, { namespace }: SandboxedCommand): boolean {
  return namespace !== undefined || result === "untried" || !CALLED.some((name) => name === tries);
}

const CALLED = ["trace process 1", "use the keyring", "open other sockets"] as const;

/** If there is no program to make the call, the kernel at least reports whether our filter is active. */
function calledResult(tries: ProbeName, { sections, isFiltered }: Outcome): ProbeResult["result"] {
  const reports = sections.get(tries);
  if (reports !== undefined && !reports.includes("MISSING"))
    return reports.includes("REFUSED") ? "held" : "open";
  return isFiltered && /^Seccomp:\t2$/m.test(sections.get(CALLED[0]) ?? "") ? "held" : "untried";
}

/** Whether a process has this argument. */
function isRunning(text: string): boolean {
  if (process.platform !== "linux") return false;
  return readdirSync("/proc").some((name) => {
    try {
      return /^\d/.test(name) && readFileSync(`/proc/${name}/cmdline`, "latin1").split("\0").includes(text);
    } catch {
      return false;
    }
  });
}

const SHORTEST_TELLING = 12;

/** Whether variables of our own environment are in a text; short ones, and parts of others, may be there by chance. */
function tellsOfUs(text: string): boolean {
  const given = new Set<string | undefined>(["PATH", "HOME", "PWD", "SHELL", "LANG", "TMPDIR"]);
  return Object.entries(process.env).some(
    ([name, value = ""]) =>
      !given.has(name) && value.length >= SHORTEST_TELLING && text.includes(`${name}=${value}`),
  );
}

const NETWORK: ReadonlySet<ProbeName> = new Set(["open other sockets", "reach the network"]);

function isolationOf(probes: readonly ProbeResult[]): IsolationLevel {
  const isProven = ({ result }: ProbeResult) => result === "held";
  if (!probes.filter(({ tries }) => !NETWORK.has(tries)).every(isProven)) return "none";
  return probes.every(isProven) ? "files-and-network" : "files";
}
