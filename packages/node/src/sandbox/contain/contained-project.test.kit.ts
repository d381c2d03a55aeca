import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ContainedOutcome, Containment, Sandbox } from "@toolkeep/core/ports";
import { spawnCommand } from "../../processes/spawn-command.ts";
import { bubblewrapSandbox } from "../bubblewrap/bubblewrap.ts";
import { endPlace } from "./end-place.ts";
import { projectState } from "./layer/open-layer.ts";
import { asUser, hasPlaces, removeAll, USER, until } from "./place/place.test.kit.ts";

/** Whether commands can be contained in a folder of the tests. */
export const canContain =
  hasPlaces && ["perl", "git", "ip"].every((name) => spawnSync("which", [name]).status === 0);

interface RunOptions extends Partial<Containment> {
  /** Whether what follows the command knows what it wrote. Default: `true`. */
  readonly hasOutput?: boolean;
  readonly hidden?: readonly string[];
  readonly home?: string;
  /** Default: `true`. */
  readonly isContained?: boolean;
}

const NOTHING: ContainedOutcome = { kept: [], held: [], refused: [], pretended: [], seen: [] };
const ENVIRONMENT = {
  ...{ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/home/toolkeep", GIT_CONFIG_GLOBAL: "/dev/null" },
  ...{ GIT_AUTHOR_NAME: "T", GIT_AUTHOR_EMAIL: "t@example.com" },
  ...{ GIT_COMMITTER_NAME: "T", GIT_COMMITTER_EMAIL: "t@example.com" },
};

/** Of a line that `during` runs: lets the user do something meanwhile. */
export const PAUSE = "touch /tmp/ready; until [ -e /tmp/go ]; do sleep 0.05; done";

interface Scene {
  readonly project: string;
  readonly folder: string;
  readonly sandbox: Sandbox;
}

/** Runs a line, with a policy that objects to nothing. `complaint`: why it did not run, or nothing could be kept. */
async function run({ project, folder, sandbox }: Scene, line: string, options: RunOptions) {
  const { hasOutput = true, hidden = [], home = ENVIRONMENT.HOME, isContained = true, ...more } = options;
  let outcome = NOTHING;
  let [output, complaint, exitCode] = ["", "", null as number | null];
  const contained = {
    ...{ folder, project, line, callId: "call", hosts: [], ports: [] },
    evaluate: async (effects: readonly unknown[]) => effects.map(() => undefined),
    ...more,
    onOutcome: (one: ContainedOutcome) => {
      outcome = one;
    },
  };
  try {
    const command = await sandbox.wrap(["/bin/bash", "-c", "--", line], {
      ...{ read: [], write: [project], guarded: [], hidden, hosts: [], cwd: project },
      ...{ environment: { ...ENVIRONMENT, HOME: home }, ...(isContained && { contained }) },
    });
    const { child } = spawnCommand(command, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    exitCode = await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    const head = Buffer.from(output);
    await command.done?.({ exitCode, ...(hasOutput && { output: { head, size: head.length } }) });
  } catch (error) {
    complaint = (error as Error).message;
  }
  return { exitCode, output, complaint, outcome };
}

/** A project of an ordinary user whose commands run contained. */
export function containedProject({ beneath = tmpdir(), sandbox = bubblewrapSandbox() } = {}) {
  const base = realpathSync(mkdtempSync(join(beneath, "toolkeep-contained-")));
  const [project, folder] = [join(base, "project"), join(base, "state")];
  chmodSync(base, 0o755);
  mkdirSync(project);
  const own = (path: string) => process.getuid?.() === 0 && chownSync(path, USER.uid, USER.gid);
  for (const path of [base, project]) own(path);
  const state = projectState(folder, project).folder;
  return {
    ...{ base, project, folder, state },
    run: (line: string, options: RunOptions = {}) => run({ project, folder, sandbox }, line, options),
    write(path: string, text: string) {
      const file = join(project, path);
      const made = mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      for (let one = file; one !== project; one = dirname(one)) own(one);
      if (made !== undefined) own(made);
    },
    /** What the user does, without containment. */
    bare(line: string): string {
      const { stdout, stderr, status } = spawnSync("/bin/bash", ["-c", line], {
        ...{ cwd: project, env: ENVIRONMENT, encoding: "utf8", ...asUser },
      });
      if (status !== 0) throw new Error(`${line}: ${stdout}${stderr}`);
      return stdout;
    },
    /** Runs a line, and does something once it has made `/tmp/ready`. */
    async during(line: string, act: () => unknown, options: RunOptions = {}) {
      const [ready, go] = [join(state, "tmp/ready"), join(state, "tmp/go")];
      const running = this.run(line, options);
      await until(() => existsSync(ready), 20_000);
      await act();
      writeFileSync(go, "");
      const ran = await running;
      for (const path of [ready, go]) rmSync(path);
      return ran;
    },
    async remove(): Promise<void> {
      await endPlace(folder, project);
      removeAll(base);
    },
  };
}

export type ContainedProject = ReturnType<typeof containedProject>;
