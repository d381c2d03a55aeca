import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bundledProgram } from "./bundled-program.ts";

/** How the program is started here: in the place of the one that `npm install -g` puts there. */
export const OWN_COMMAND = [process.execPath, await bundledProgram()] as const;

/** The same for a shell, wherever the checkout lies. */
export const OWN_LINE = OWN_COMMAND.map(shellWord).join(" ");

function shellWord(word: string): string {
  return /^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export interface CliOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliInput {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A project, a home and a place for our own things, all of them thrown away afterwards. */
export function cliBench() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-cli-")));
  const project = join(base, "project");
  const home = join(base, "home");
  for (const folder of [join(project, ".git"), join(project, "src"), home])
    mkdirSync(folder, { recursive: true });
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TOOLKEEP_HOME: join(base, "toolkeep"),
    LANG: "C.UTF-8",
  };
  return {
    base,
    project,
    home,
    environment,
    /** Writes a file of the project, with its folders. */
    write(path: string, text: string, mode = 0o644): string {
      const file = join(project, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode });
      return file;
    },
    /** Runs the real program to its end. */
    run: (args: readonly string[], input: CliInput = {}) =>
      runProgram([...OWN_COMMAND, ...args], {
        cwd: project,
        ...input,
        env: { ...environment, ...input.env },
      }),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

export type CliBench = ReturnType<typeof cliBench>;

/** No program of ours takes longer; one that hangs must not outlive its test. */
const LONGEST_MS = 25_000;

/** Runs a program to its end, with this and no other environment. */
export function runProgram(
  argv: readonly string[],
  { stdin = "", env = {}, cwd }: CliInput,
): Promise<CliOutcome> {
  return new Promise((resolve, reject) => {
    const [program = "", ...args] = argv;
    const child = spawn(program, args, { cwd, env, stdio: "pipe", timeout: LONGEST_MS });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString("utf8");
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    // One that ends before it has read is no fault of ours.
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
  });
}
