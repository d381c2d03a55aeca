import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ContainedOutcome } from "@toolkeep/core/ports";
import { bubblewrapSandbox } from "../../packages/node/src/sandbox/bubblewrap/bubblewrap.ts";
import { projectPast } from "../../packages/node/src/sandbox/contain/commit/past-commands.ts";
import { endPlace } from "../../packages/node/src/sandbox/contain/end-place.ts";
import {
  run,
  sandboxedWorkspace,
  TEST_USER,
} from "../../packages/node/src/sandbox/testing/sandboxed-workspace.test.kit.ts";
import { newFolder } from "../temporary-folder.ts";

const RUN_AS = { uid: TEST_USER, gid: TEST_USER };
const asUser = process.getuid?.() === 0 ? RUN_AS : {};
const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/home/toolkeep",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((role) => [
      [`GIT_${role}_NAME`, "a"],
      [`GIT_${role}_EMAIL`, "a@a.test"],
    ]),
  ),
};

interface ContainedRun {
  readonly exitCode: number | null;
  readonly output: string;
  readonly kept: readonly string[];
  readonly held: ContainedOutcome["held"];
}

/** A process of the user's, outside, with what it says line by line. */
interface UserProcess {
  readonly lines: readonly string[];
  /** Waits until it has said something more. */
  said(): Promise<void>;
  /** Ends its input, and waits for its end. */
  end(): Promise<number | null>;
  tell(line: string): void;
}

/** A project in which commands run contained, while its user works in it. */
export function containedProject(files: Readonly<Record<string, string>>) {
  const workspace = sandboxedWorkspace(newFolder());
  const contain = join(workspace.folder, "contain");
  mkdirSync(contain, { mode: 0o711 });
  chmodSync(workspace.folder, 0o755);
  workspace.write(files);
  const sandbox = bubblewrapSandbox(process.getuid?.() === 0 ? { runAs: RUN_AS } : {});
  return {
    path: workspace.path,
    contain,
    async run(line: string): Promise<ContainedRun> {
      let outcome: ContainedOutcome | undefined;
      const contained = {
        ...{
          folder: contain,
          project: workspace.path,
          line,
          callId: "c1",
          hosts: [],
          ports: [],
          through: false,
        },
        evaluate: async (effects: readonly unknown[]) => effects.map(() => undefined),
        onOutcome(one: ContainedOutcome) {
          outcome = one;
        },
      };
      const profile = workspace.profile({ contained, environment: ENVIRONMENT });
      const { exitCode, output, complaint } = await run(
        await sandbox.wrap(["/bin/bash", "-c", "--", line], profile),
      );
      if (complaint !== undefined) throw complaint;
      return { exitCode, output, kept: outcome?.kept ?? [], held: outcome?.held ?? [] };
    },
    past: () => projectPast(contain, workspace.path),
    user(...argv: readonly string[]): UserProcess {
      const [program = "", ...args] = argv;
      return userProcess(
        spawn(program, args, { ...asUser, cwd: workspace.path, env: { ...ENVIRONMENT, HOME: "/tmp" } }),
      );
    },
    async [Symbol.asyncDispose]() {
      await endPlace(contain, workspace.path);
      rmSync(workspace.folder, { recursive: true, force: true });
    },
  };
}

export type ContainedProject = ReturnType<typeof containedProject>;

function userProcess(child: ChildProcess): UserProcess {
  const lines: string[] = [];
  let wake = () => {};
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      wake();
    });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (errors === "" ? resolve(code) : reject(new Error(errors))));
  });
  ended.catch(() => undefined);
  return {
    lines,
    said: () => Promise.race([new Promise<void>((resolve) => (wake = resolve)), ended.then(() => undefined)]),
    end() {
      child.stdin?.end();
      return ended;
    },
    tell: (line) => void child.stdin?.write(`${line}\n`),
  };
}
