import { randomUUID } from "node:crypto";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import type { ContainedOutcome } from "@toolkeep/core/ports";
import { openWorkspace } from "@toolkeep/node";
import {
  containFolder,
  directories,
  endPlace,
  findProgram,
  installCommand,
  namespaceError,
  projectPast,
  removeTree,
  whyNoLayer,
} from "@toolkeep/node/internal";
import { bashTool } from "@toolkeep/tools/internal";
import { PACKAGES, SETTINGS } from "./containment-needs.ts";
import { type Checked, type Finding, part } from "./finding.ts";

const own = part("containment");
const machine = part("containment", "administrator");
const QUICK_MS = 2_000;

/** Proves containment for a project: each part of it is really done, in a project of its own that is thrown away. */
export async function checkContainment(root: string): Promise<Checked> {
  const elsewhere = layerFinding(root);
  if (elsewhere !== undefined) return { facts: [], findings: [elsewhere] };
  const proven: string[] = [];
  const findings: Finding[] = [];
  try {
    await using bench = await openBench(root);
    for (const [name, prove] of Object.entries(PROOFS)) {
      const why = await prove(bench);
      if (why === undefined) proven.push(name);
      else findings.push(await finding(name, why));
    }
  } catch (error) {
    const { message, hint = "" } = error as Error & Pick<ToolFailure, "hint">;
    findings.push(await finding("place", `${message} ${hint}`.trim()));
  }
  return own.is(proven.length === 0 ? "does not work" : `proven: ${proven.join(", ")}`, ...findings);
}

function layerFinding(root: string): Finding | undefined {
  const { uid, gid } = statSync(root);
  if (process.getuid?.() === 0 && (uid === 0 || gid === 0))
    return own.gap(
      "contain_root",
      "A project of root cannot be contained.",
      "Give the project to an ordinary user (chown): root's client then runs its commands as that user.",
    );
  const why = process.platform === "linux" ? whyNoLayer(containFolder(), root) : undefined;
  if (why === undefined) return undefined;
  const message = `The commands of this project cannot be contained: ${why}.`;
  const fix = why.includes("another mount")
    ? `export ${process.env["TOOLKEEP_HOME"] ? "TOOLKEEP_HOME" : "XDG_STATE_HOME"}=${join(dirname(root), ".local-state")}`
    : "Move the project to a folder without such mounts and signs, or use `toolkeep contain off`.";
  return own.gap("contain_mount", message, fix);
}

async function finding(name: string, why: string): Promise<Finding> {
  const message = `The proof of ${name} failed: ${why.replace(/\.$/, "")}. Commands that match no rule ask instead.`;
  return machine.gap(`contain_${name}`, message, await repair());
}

/** One command, as far as it is known what is missing. */
async function repair(): Promise<string> {
  const absent = new Set<string>();
  for (const [program, name] of Object.entries(PACKAGES))
    if ((await findProgram(program)) === undefined) absent.add(name);
  if (absent.size > 0) return installCommand([...absent]);
  const blocked = (await namespaceError()) ?? "";
  const setting = Object.entries(SETTINGS).find(([name]) => blocked.includes(name));
  return setting === undefined ? "toolkeep contain off" : `sysctl -w ${setting.join("=")}`;
}

type Bench = Awaited<ReturnType<typeof openBench>>;

/** On the mount of the state folder, and outside of it: commands see nothing of that one. */
async function openBench(root: string) {
  const base = mkdtempSync(join(dirname(directories().state), "toolkeep-doctor-"));
  const [project, folder] = [join(base, "project"), join(base, "contain")];
  mkdirSync(project);
  writeFileSync(join(project, "file"), "before");
  const { uid, gid } = statSync(root);
  if (process.getuid?.() === 0)
    for (const path of [base, project, join(project, "file")]) chownSync(path, uid, gid);
  let outcome: ContainedOutcome | undefined;
  const onOutcome = (one: ContainedOutcome) => {
    outcome = one;
  };
  const workspace = await openWorkspace({
    roots: [project],
    contain: { commands: "all", folder, onOutcome },
  });
  const session = await workspace.createSession({
    tools: [bashTool()],
    policy: { mode: "yolo", builtIn: "off" },
  });
  return {
    ...{ project, folder, file: () => readFileSync(join(project, "file"), "utf8") },
    /** Runs a line of Perl, which containment needs anyway. @throws ToolFailure if it was not contained. */
    async perl(code: string) {
      outcome = undefined;
      const command = `perl -MIO::Socket::INET -e '${code}'`;
      const { data, failure } = await session.call({
        id: randomUUID(),
        name: "bash",
        arguments: { command },
      });
      if (failure !== undefined || outcome === undefined)
        throw new ToolFailure("unavailable", failure?.message ?? "the command was not contained");
      return { ...(outcome as ContainedOutcome), output: (data as { readonly output: string }).output };
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace.close();
      await endPlace(folder, project).catch(() => undefined);
      removeTree(base);
    },
  };
}

type Proof = (bench: Bench) => Promise<string | undefined>;

/** Each says why it failed, in the order in which they are tried. */
const PROOFS: Readonly<Record<string, Proof>> = {
  async layer({ perl, file, project }) {
    const { held } = await perl(
      'mkdir ".claude"; for ("file", ".claude/settings.json") { open F, ">", $_; print F "after" }',
    );
    if (existsSync(join(project, ".claude")) || held.length !== 1) return "a protected file was not held";
    return file() === "after" ? undefined : "the change was not applied to the project";
  },
  async undo({ folder, project, file }) {
    const past = await projectPast(folder, project);
    await past.undo(...past.commands.map(({ number }) => number).toReversed());
    return file() === "before" ? undefined : "the project is not as it was";
  },
  async network({ perl }) {
    const began = performance.now();
    const { refused, output } = await perl('IO::Socket::INET->new("toolkeep.invalid:80"); print time - $^T');
    if (!refused.includes("toolkeep.invalid:80")) return "a blocked host is not named";
    const isQuick = Number(output) * 1_000 <= QUICK_MS || performance.now() - began <= QUICK_MS;
    return isQuick ? undefined : "blocking a host took too long";
  },
  async caches({ perl }) {
    const name = `.cache/toolkeep-doctor-${randomUUID()}`;
    await perl(`open F, ">", "$ENV{HOME}/${name}"; print F "kept"`);
    const { output } = await perl(`open F, "<", "$ENV{HOME}/${name}"; print <F>`);
    if (existsSync(join(homedir(), name))) return "a command wrote to the cache of the user";
    return output === "kept" ? undefined : "a command does not find what the previous one wrote to a cache";
  },
  async forwarding({ perl }) {
    const { output } = await perl(
      '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1"); print $s->sockport; close STDOUT; close STDERR; exit if fork; $c = $s->accept; print $c "toolkeep"',
    );
    const until = performance.now() + QUICK_MS;
    while (performance.now() < until) if ((await saidAt(Number(output))) === "toolkeep") return undefined;
    return "a port of a contained server is not reachable from this machine";
  },
};

function saidAt(port: number): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(port, "127.0.0.1")
      .setEncoding("utf8")
      .setTimeout(QUICK_MS, () => socket.destroy());
    socket.on("data", (text: string) => {
      said += text;
    });
    // A port that is not there yet is tried again a moment later.
    socket.on("error", () => undefined).on("close", () => setTimeout(() => resolve(said), 25));
  });
}
