import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { bundledProgram } from "../cli/bundled-program.ts";
import { runInJail, whyNoJail } from "../jail/outer-jail.ts";
import type { Seen } from "./hook-decisions/scenes.ts";

const SCRIPT = fileURLToPath(new URL("hook-confined/in-jail.ts", import.meta.url));
const FINDINGS = [
  ["[attack 04]", "a repository that came with the files"],
  ["[attack 05]", "a link that leads out of the workspace"],
  ["[attack 06]", "a version command that runs a program of the project"],
  ["[attack 07]", "a registry that the project names"],
  ["[attack 15]", "a hook of git that runs code that was written freely"],
  ["[attack 18]", "patterns and recursion that find secrets"],
  ["[attack 19]", "a pattern that becomes two args"],
  ["[scripts]", "code of the project that tries to"],
] as const;

interface Outcome {
  readonly seen: readonly Seen[];
  /** What the tests of the project wrote. */
  readonly control: string;
}

async function inJail(): Promise<Outcome> {
  const program = await bundledProgram();
  const folder = join(dirname(program), "../../..");
  const { stdout, stderr } = await runInJail({
    ...{ script: SCRIPT, as: "user", timeoutMs: 280_000 },
    args: ["/tmp/program/packages/cli/dist/main.js"],
    mounts: ["--ro-bind", folder, "/tmp/program"],
  });
  const last = stdout.trim().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`The script ended without a result: ${stderr.slice(-2_000)}`);
  return JSON.parse(last) as Outcome;
}

describe.skipIf(whyNoJail("user") !== undefined)(
  "a client that runs what the hook puts in the place of a command",
  () => {
    let outcome: Outcome;
    beforeAll(async () => {
      outcome = await inJail();
    });

    test.each(FINDINGS)("%s nothing leaves the sandbox by %s", (finding) => {
      const played = outcome.seen.filter((one) => one.finding === finding);
      expect(played.length).toBeGreaterThan(1);
      expect(played.filter(({ isTripped }) => isTripped)).toEqual([]);
    });

    test("control: the commands were run, in the sandbox", () => {
      const confined = outcome.seen.filter(({ actions }) => actions.includes("confined"));
      expect(confined.length).toBeGreaterThan(16);
      expect(outcome.seen.filter(({ actions }) => actions.includes("not tried"))).toEqual([]);
      expect(outcome.control).toBe("ran\nlet a = 1;\n");
    });
  },
);
