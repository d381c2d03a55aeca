import {
  existsSync,
  globSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { bubblewrapSandbox } from "../bubblewrap/bubblewrap.ts";
import { projectPast } from "./commit/past-commands.ts";
import { type ContainedProject, canContain, containedProject } from "./contained-project.test.kit.ts";
import { openPlace } from "./place/open-place.ts";
import { asUser, USER } from "./place/place.test.kit.ts";

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
    place = join(one.state, "place");
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

  test("whose changes cannot be decided about leaves all of them held, with the reason", async () => {
    const evaluate = () => Promise.reject(new Error("the policy is gone"));
    const { outcome, complaint } = await one.run("echo 1 > new.txt; mkdir d; echo 2 > d/e", { evaluate });
    expect(complaint).toBe("");
    const held = ["d", "new.txt"].map((path) => ({ path, why: '"the policy is gone"' }));
    expect(outcome.held.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual(held);
    expect([outcome.kept, readdirSync(one.project).includes("new.txt")]).toEqual([[], false]);
    const past = await projectPast(one.folder, one.project);
    expect(await past.keep(outcome.number ?? 0)).toEqual([]);
    expect(readFileSync(join(one.project, "d/e"), "utf8")).toBe("2\n");
  });

  test("keeps the rest where the user removes a file meanwhile, and where one or a folder is closed", async () => {
    one.write("gone", "1");
    one.bare(
      "mkdir closed && touch closed/file && chmod 000 closed; echo 1 > a; for i in 1 2 3 4 5; do echo > x$i; done",
    );
    const evaluate = async (effects: readonly unknown[]) => {
      rmSync(join(one.project, "gone"), { force: true });
      return effects.map(() => undefined);
    };
    const { outcome, complaint } = await one.run("echo 22 > gone; chmod 000 a; rm x?; echo > kept", {
      evaluate,
    });
    expect(complaint).toBe("");
    expect(outcome.held).toContainEqual({ path: "gone", why: "changed by another program meanwhile" });
    expect(outcome.kept).toContain("kept");
  });

  test("that commits a file which decides what is run says how much of it is in the project", async () => {
    one.bare("git init -q; git commit -q --allow-empty -m one");
    const { complaint, outcome } = await one.run("echo 1 > .envrc; git add .envrc; git commit -q -m two");
    expect(outcome.kept).toContain(".git/index");
    expect(complaint).toContain("committed or staged files that decide what is run: .envrc");
    expect(complaint).toMatch(` ${outcome.kept.length} of its changes are in the project.`);
  });

  test("says whether what it left running still writes, though nowhere", async () => {
    const { outcome } = await one.run("setsid sleep 100 > /dev/null 2>&1 & echo");
    expect(outcome.isGoingOn).toBe(true);
    expect((await one.run("echo")).outcome.isGoingOn).toBeUndefined();
  });

  test.each([{ through: false }, { through: true }])(
    "and that leaves a server leaves it the project, which is in its home, and its hidden files: %o",
    async (how) => {
      // A home in `/tmp` would be that of the place.
      const contained = containedProject({ beneath: process.getuid?.() === 0 ? "/home" : homedir() });
      try {
        contained.write("a.txt", "one\n");
        contained.write(".env", "KEY=1\n");
        const around = { home: contained.base, hidden: [join(contained.project, ".env")] };
        const port = 20_000 + Math.floor(10_000 * Math.random());
        const at = `127.0.0.1:${port}`;
        const start = `echo 1 > b.txt; python3 -m http.server ${port} > /dev/null 2>&1 &`;
        await contained.run(start, { ...how, ...around });
        // As if the process that started it had ended.
        for (const opened of globSync(join(contained.state, "commands/*/opened.json")))
          writeFileSync(opened, readFileSync(opened, "utf8").replace(/"startedAt":\d+/, '"startedAt":1'));
        await contained.run(`until curl -so /dev/null ${at}; do sleep 0.1; done; echo 2 > b.txt`, around);
        const { output } = await contained.run(`curl -s ${at}/{a.txt,.env}`, around);
        expect(output).toMatch(/^one\n(?!KEY)/);
      } finally {
        await contained.remove();
      }
    },
  );

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

  test("is not followed by a search for protected names, and keeps what the user made meanwhile", async () => {
    using quarantine = mkdtempDisposableSync(join(tmpdir(), "toolkeep-quarantine-"));
    const made = "sub/.vscode/settings.json";
    const told: unknown[] = [];
    const protection = {
      quarantine: quarantine.path,
      onQuarantine: (things: readonly unknown[]) => told.push(...things),
    };
    const sandbox = bubblewrapSandbox({ protection });
    const wrap: typeof sandbox.wrap = async (...given) => {
      const command = await sandbox.wrap(...given);
      project.write(made, "{}");
      return command;
    };
    const project = containedProject({ sandbox: { ...sandbox, wrap } });
    try {
      const contained = await project.run("echo b > b.txt");
      expect(contained).toMatchObject({ exitCode: 0, output: "", outcome: { kept: ["b.txt"] } });
      expect([told.length, existsSync(join(project.project, made))]).toEqual([0, true]);
      const at = { folder: join(project.state, "place"), project: project.project };
      const { init, close } = await openPlace({ ...at, ...("uid" in asUser && { user: USER }) });
      expect(readFileSync(`/proc/${init}/mountinfo`, "utf8")).not.toContain(project.folder);
      close();
      rmSync(join(project.project, "sub"), { recursive: true });
      expect(await project.run("echo c > c.txt", { isContained: false })).toMatchObject({ exitCode: 0 });
      expect([told.length, existsSync(join(project.project, made))]).toEqual([1, false]);
    } finally {
      await project.remove();
    }
  });
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
