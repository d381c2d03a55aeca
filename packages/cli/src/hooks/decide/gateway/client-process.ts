import { readFileSync } from "node:fs";
import { expression, PROGRAM_KINDS } from "@toolkeep/catalog/internal";
import { unlessThrown } from "@toolkeep/core/internal";

/** Programs that only start another one. The client is above them. */
const LAUNCHER = expression(PROGRAM_KINDS.clientLaunchers);
const HIGHEST = 16;

/**
 * The process of the client that started this one, with the time of its start, because ids are used again:
 * `4711-123456`. All gateways that a client starts have the same. `undefined` where it cannot be told.
 */
export function clientProcess(pid: number = process.ppid): string | undefined {
  let above = pid;
  for (let height = 0; height < HIGHEST && above > 0; height += 1) {
    const found = processAt(above);
    if (found === undefined) return undefined;
    if (!LAUNCHER.test(found.name)) return `${above}-${found.start}`;
    above = found.parent;
  }
  return undefined;
}

/** Whether the process of a client still runs. */
export function isRunning(client: string): boolean {
  const [pid = "", start = ""] = client.split("-");
  return processAt(Number(pid))?.start === start;
}

interface FoundProcess {
  readonly name: string;
  readonly parent: number;
  /** Digits: they say nothing but whether it is the same process. */
  readonly start: string;
}

function processAt(pid: number): FoundProcess | undefined {
  // It has ended, or there is no such list here.
  return unlessThrown(() => (process.platform === "linux" ? inProc(pid) : listed(pid)));
}

/** The name is in brackets and may have any characters; the parent is the 2nd field after it, the start the 20th. */
function inProc(pid: number): FoundProcess {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  const end = text.lastIndexOf(")");
  const fields = text.slice(end + 2).split(" ");
  const name = text.slice(text.indexOf("(") + 1, end);
  return { name, parent: Number(fields[1]), start: fields[19] ?? "" };
}

const LISTED = /^\s*(\d+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*?)\s*$/;

function listed(pid: number): FoundProcess | undefined {
  // Linux does not need it, and an import would load it with every decision.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  const text = execFileSync("/bin/ps", ["-o", "ppid=,lstart=,comm=", "-p", String(pid)], {
    encoding: "latin1",
    env: { LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [, parent = "", start = "", command = ""] = LISTED.exec(text) ?? [];
  const name = command.slice(command.lastIndexOf("/") + 1).replace(/^-/, "");
  return parent === "" ? undefined : { name, parent: Number(parent), start: String(Date.parse(start)) };
}
