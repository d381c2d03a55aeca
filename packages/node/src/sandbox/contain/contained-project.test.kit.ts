import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ContainedOutcome, Containment } from "@toolkeep/core/ports";
import { spawnCommand } from "../../processes/spawn-command.ts";
import { bubblewrapSandbox } from "../bubblewrap/bubblewrap.ts";
import { endPlace } from "./end-place.ts";
import { asUser, hasPlaces, USER } from "./place/place.test.kit.ts";

/** Whether commands can be contained in a folder of the tests. */
export const canContain =
  hasPlaces && ["perl", "git", "ip"].every((name) => spawnSync("which", [name]).status === 0);

export interface RanContained {
  readonly exitCode: number | null;
  readonly output: string;
  /** Why it did not run, or nothing of it could be kept. */
  readonly complaint: string;
  readonly outcome: ContainedOutcome;
}

interface RunOptions {
  /** Whether what follows the command knows what it wrote. Default: `true`. */
  readonly hasOutput?: boolean;
  readonly hidden?: readonly string[];
  readonly home?: string;
}

const NOTHING: ContainedOutcome = { kept: [], held: [], refused: [], pretended: [], seen: [] };
const ENVIRONMENT = {
  ...{ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/home/toolkeep", GIT_CONFIG_GLOBAL: "/dev/null" },
  ...{ GIT_AUTHOR_NAME: "T", GIT_AUTHOR_EMAIL: "t@example.com" },
  ...{ GIT_COMMITTER_NAME: "T", GIT_COMMITTER_EMAIL: "t@example.com" },
};

/** A project of an ordinary user whose commands run contained, with a policy that objects to nothing. */
export function containedProject({ beneath = tmpdir(), sandbox = bubblewrapSandbox() } = {}) {
  const base = realpathSync(mkdtempSync(join(beneath, "toolkeep-contained-")));
  const [project, folder] = [join(base, "project"), join(base, "state")];
  chmodSync(base, 0o755);
  mkdirSync(project);
  const own = (path: string) => process.getuid?.() === 0 && chownSync(path, USER.uid, USER.gid);
  for (const path of [base, project]) own(path);
  return {
    ...{ base, project, folder },
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
    async run(
      line: string,
      {
        hasOutput = true,
        hidden = [],
        home = ENVIRONMENT.HOME,
        ...more
      }: Partial<Containment> & RunOptions = {},
    ): Promise<RanContained> {
      let outcome = NOTHING;
      let [output, exitCode] = ["", null as number | null];
      try {
        const command = await sandbox.wrap(["/bin/bash", "-c", "--", line], {
          ...{ read: [], write: [project], guarded: [], hidden, hosts: [], cwd: project },
          environment: { ...ENVIRONMENT, HOME: home },
          contained: {
            ...{ folder, project, line, callId: "call", hosts: [], ports: [] },
            evaluate: async (effects) => effects.map(() => undefined),
            ...more,
            onOutcome: (one) => {
              outcome = one;
            },
          },
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
        return { exitCode, output, complaint: "", outcome };
      } catch (error) {
        return { exitCode, output, complaint: (error as Error).message, outcome };
      }
    },
    async remove(): Promise<void> {
      await endPlace(folder, project);
      spawnSync("chmod", ["-R", "u+rwx", base]);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export type ContainedProject = ReturnType<typeof containedProject>;
