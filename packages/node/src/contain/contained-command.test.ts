import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { bubblewrapSandbox } from "../sandbox/bubblewrap/bubblewrap.ts";
import { type ContainedProject, canContain, containedProject } from "./contained-project.test.kit.ts";
import { projectState } from "./layer/open-layer.ts";

describe.skipIf(!canContain)("a contained command", () => {
  let one: ContainedProject;
  let place: string;
  /** Whether what the sandbox is to mount goes before it is built. */
  let isBroken = false;

  beforeAll(() => {
    const sandbox = bubblewrapSandbox();
    const wrap: typeof sandbox.wrap = async (...given) => {
      const command = await sandbox.wrap(...given);
      if (isBroken)
        for (const run of readdirSync(join(place, "runs")))
          rmSync(join(place, "runs", run), { recursive: true });
      return command;
    };
    one = containedProject({ sandbox: { ...sandbox, wrap } });
    place = join(projectState(one.folder, one.project).folder, "place");
    return () => one.remove();
  });

  test("is begun in a new place where the one that it joined has ended", async () => {
    /** The place ends once, while it is told for whom it is to be kept. */
    let ended = 0;
    const keptFor = {
      *[Symbol.iterator]() {
        if (ended++ === 0) process.kill(keeperIn(place), "SIGKILL");
        while (ended === 1 && keeperIn(place) !== 0);
        yield process.pid;
      },
    } as unknown as readonly number[];
    const { exitCode, output, complaint } = await one.run("echo yes > made.txt && echo ran", { keptFor });
    expect({ exitCode, output, complaint }).toEqual({ exitCode: 0, output: "ran\n", complaint: "" });
    expect(ended).toBe(2);
    expect(readFileSync(join(one.project, "made.txt"), "utf8")).toBe("yes\n");
  });

  test.each([{ through: false }, { through: true }])(
    "whose sandbox cannot be built says so, and is not one that failed by itself: %o",
    async (how) => {
      isBroken = true;
      expect(await one.run("true", how)).toMatchObject({
        exitCode: 1,
        complaint: "The command did not run: its sandbox could not be built.",
      });
      isBroken = false;
      expect(await one.run("exit 1", how)).toMatchObject({ exitCode: 1, complaint: "" });
    },
  );
});

/** The process that keeps the place of a folder, which it works in; 0 if there is none. */
function keeperIn(folder: string): number {
  const found = readdirSync("/proc").find((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
  return Number(found ?? 0);
}
