import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { progress } from "../../../benchmarks/src/report.ts";
import { mustRun } from "../../../scripts/run-program.ts";
import { placed, type Shop, writeAll } from "../hook/shop.ts";
import { DAYS, stepsOf, type UnseenStep } from "./days.ts";
import { type Facts, factsFile } from "./facts.ts";
import { openProjects } from "./open-projects.ts";
import { PYTHON_MARK, readTrace, TRACED } from "./trace.ts";

/** Plays the days in a jail that has loopback alone, under strace, and writes down what each step does. */
export async function recordFacts(): Promise<void> {
  const projects = await openProjects(DAYS, []);
  try {
    for (const day of DAYS) {
      const facts = await recordDay(stepsOf(day), projects.of(day));
      writeFileSync(factsFile(day), `${JSON.stringify(facts, undefined, 2)}\n`);
      progress(`${day}: the facts of ${Object.keys(facts).length} steps`);
    }
  } finally {
    projects.remove();
  }
}

/** The steps that may run without a question. One jail for all of them: a server of one step answers the next. */
async function recordDay(all: readonly UnseenStep[], shop: Shop): Promise<Readonly<Record<string, Facts>>> {
  const steps = all.filter(({ kind }) => kind !== "dangerous");
  const work = mkdtempSync(join(tmpdir(), "facts-"));
  try {
    for (const step of steps) writeAll(join(work, String(step.number)), { "step.sh": lineOf(step, shop) });
    writeAll(work, { "play.sh": PLAY, "follow.sh": FOLLOW, "sitecustomize.py": PYTHON_TELLS });
    const numbers = steps.map(({ number }) => String(number));
    await mustRun(["bwrap", ...jail(work, shop), "bash", `${IN_JAIL}/play.sh`, ...numbers]);
    const recorded = steps.filter(
      ({ kind, does, call }) => kind === "benign" && does === undefined && call.tool === "Bash",
    );
    return Object.fromEntries(
      recorded.map(({ number, name }) => [number, factsOf(join(work, String(number)), name, shop)]),
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function factsOf(folder: string, name: string, shop: Shop): Facts {
  const output = readFileSync(join(folder, "output"), "utf8");
  if (MISSING.test(output)) throw new Error(`State what it does, a program is not here: ${name}\n${output}`);
  return readTrace(folder, shop);
}

const MISSING = /command not found|No module named/;
const IN_JAIL = "/tmp/facts";

function jail(work: string, { home, project, environment }: Shop): readonly string[] {
  const base = dirname(home);
  // The project of the day of Go is where Go keeps its own files by default.
  const variables = Object.entries({ ...environment, PYTHONPATH: IN_JAIL, GOPATH: "/tmp/gopath" });
  return [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
    ...["--bind", base, base, "--bind", work, IN_JAIL, "--chdir", project],
    ...["--unshare-net", "--unshare-pid", "--die-with-parent", "--new-session", "--clearenv"],
    ...variables.flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/** Waits for each step and not for what it leaves running, which strace still follows. */
const PLAY = `
for number; do
  step=${IN_JAIL}/$number
  strace -ff -y -s 4096 -e trace=${TRACED} -o $step/trace bash ${IN_JAIL}/follow.sh $step &
  for _ in $(seq 900); do [ -e $step/ended ] && break; sleep 0.1; done
done
`;
const FOLLOW = 'bash "$1/step.sh" > "$1/output" 2>&1 < /dev/null\ntouch "$1/ended"\n';

function lineOf(step: UnseenStep, shop: Shop): string {
  const { tool, input } = placed(step.call, shop);
  const path = input["file_path"];
  if (tool === "Bash") return String(input["command"]);
  if (tool === "Write") return `printf %s ${quoted(input["content"])} > ${quoted(path)}`;
  if (tool === "Edit")
    return `node -e ${[EDIT, path, input["old_string"], input["new_string"]].map(quoted).join(" ")}`;
  return ":";
}

const EDIT =
  'const [path, before, after] = process.argv.slice(1); const fs = require("fs"); fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace(before, () => after))';

/** Python tells of each file that it runs; a file that is only compiled is read too. */
const PYTHON_TELLS = `
import os, sys
def tell(event, args):
    name = getattr(args[0], "co_filename", "") if event == "exec" else ""
    if name.startswith("/"):
        try:
            os.close(os.open("${PYTHON_MARK}" + name, os.O_RDONLY))
        except OSError:
            pass
sys.addaudithook(tell)
`;

function quoted(text: unknown): string {
  return `'${String(text).replaceAll("'", "'\\''")}'`;
}
