import { closeSync, existsSync, lstatSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { projectPast } from "./commit/past-commands.ts";
import { type ContainedProject, canContain, containedProject, PAUSE } from "./contained-project.test.kit.ts";

const CLOSED = "a folder that its owner may not read";
/** Root can read every folder. */
const isRoot = process.getuid?.() === 0;

describe.skipIf(!canContain)("a contained command", () => {
  let one: ContainedProject;

  beforeEach(() => {
    one = containedProject();
    one.write("src/a.txt", "a\n");
    one.write("plain", "old\n");
    return () => one.remove();
  });

  const python = (text: string) => one.run(`python3 - <<'PY'\nimport os, shutil, sqlite3\n${text}\nPY`);
  const at = (path: string) => join(one.project, path);
  const modeOf = (path: string) => lstatSync(at(path)).mode & 0o7777;

  describe.skipIf(isRoot)("that leaves a folder which its owner may not read", () => {
    test.each([
      { made: "os.mkdir('closed'); os.chmod('closed', 0)", held: "closed" },
      { made: "os.mkdir('closed'); os.chmod('closed', 0o300)", held: "closed" },
      { made: "os.mkdir('closed'); open('closed/x', 'w'); os.chmod('closed', 0o600)", held: "closed" },
      { made: "open('src/b', 'w'); os.chmod('src', 0)", held: "src" },
      { made: "os.makedirs('d/closed'); os.chmod('d/closed', 0)", held: "d", why: `d/closed: ${CLOSED}` },
    ])("waits with that, and is kept for the rest: $made", async ({ made, held, why = CLOSED }) => {
      const { complaint, outcome } = await python(`${made}\nopen('plain', 'w').write('new')`);
      expect([complaint, outcome.held, outcome.kept]).toEqual(["", [{ path: held, why }], ["plain"]]);
      expect(readFileSync(at("plain"), "utf8")).toBe("new");
    });

    test("and a process waits with that, and is kept for the rest", async () => {
      const { complaint, outcome } = await one.run(
        "mkdir closed; echo > closed/x; chmod 0 closed; echo > shut; chmod 0 shut; setsid sleep 100 > /dev/null 2>&1 < plain &",
      );
      const held = [{ path: "closed", why: CLOSED }];
      expect([complaint, outcome.held, outcome.kept]).toEqual(["", held, ["shut"]]);
    });

    test("in the project or in its home is kept for the rest", async () => {
      const { complaint, outcome } = await python(
        "os.makedirs(os.path.expanduser('~/x')); os.chmod(os.path.expanduser('~/x'), 0)\nopen('plain', 'w').write('new')\nos.chmod('.', 0)",
      );
      expect([complaint, outcome.held, outcome.kept]).toEqual(["", [], ["plain"]]);
      expect(outcome.pretended).toEqual(["~/x"]);
    });

    test("waits with that where the user closes it meanwhile", async () => {
      const { complaint, outcome } = await one.during(`echo > src/b; echo new > plain; ${PAUSE}`, () =>
        one.bare("chmod 0 src"),
      );
      const held = [{ path: "src", why: CLOSED }];
      expect([complaint, outcome.held, outcome.kept]).toEqual(["", held, ["plain"]]);
    });
  });

  test("leaves a file that its owner may not read", async () => {
    const { complaint, outcome } = await python("open('shut', 'w').write('x'); os.chmod('shut', 0)");
    expect([complaint, outcome.held, outcome.kept, modeOf("shut")]).toEqual(["", [], ["shut"], 0]);
  });

  test("leaves new and changed folders that are read-only", async () => {
    const { complaint, outcome } = await python(
      "os.mkdir('ro'); open('ro/a', 'w'); os.chmod('ro', 0o555)\nopen('src/new', 'w'); os.chmod('src', 0o555)",
    );
    expect([complaint, outcome.held]).toEqual(["", []]);
    expect([modeOf("ro"), modeOf("src")]).toEqual([0o555, 0o555]);
    expect([existsSync(at("ro/a")), existsSync(at("src/new"))]).toEqual([true, true]);
    const past = await projectPast(one.folder, one.project);
    await past.undo(outcome.number ?? 0);
    expect([existsSync(at("ro")), existsSync(at("src/new")), modeOf("src")]).toEqual([false, false, 0o755]);
  });

  test("writes to read-only folders, and removes them", async () => {
    one.bare("mkdir -p d/e f g; touch d/e/x f/x; chmod 555 d d/e f g");
    const { complaint, outcome } = await python(
      "os.system('chmod -R u+w d f g'); open('g/new', 'w'); shutil.rmtree('d'); open('f/new', 'w'); os.chmod('f', 0o555)",
    );
    expect([complaint, outcome.held, existsSync(at("d"))]).toEqual(["", [], false]);
    expect([existsSync(at("f/new")), modeOf("f")]).toEqual([true, 0o555]);
    expect([existsSync(at("g/new")), modeOf("g")]).toEqual([true, 0o755]);
    const past = await projectPast(one.folder, one.project);
    await past.undo(outcome.number ?? 0);
    expect([existsSync(at("d/e/x")), existsSync(at("f/new"))]).toEqual([true, false]);
    expect(["d", "d/e", "f", "g"].map(modeOf)).toEqual([0o555, 0o555, 0o555, 0o555]);
  });

  test("leaves folders with their rights where the process that brings them is killed in between", async () => {
    one.bare("mkdir f; chmod 555 f");
    const { outcome } = await python(
      "os.mkdir('ro'); os.chmod('ro', 0o555); os.chmod('f', 0o755); open('f/new', 'w'); os.chmod('f', 0o555)",
    );
    expect(outcome.kept.toSorted()).toEqual(["f/new", "ro"]);
    const { commands } = await projectPast(one.folder, one.project);
    rmSync(join(commands[0]?.folder ?? "", "done.json"));
    one.bare("chmod 755 f ro");
    await projectPast(one.folder, one.project);
    expect([modeOf("f"), modeOf("ro")]).toEqual([0o555, 0o555]);
  });

  test("waits with a new folder that has a name which is not text, and is kept for the rest", async () => {
    const { complaint, outcome } = await python(
      "os.makedirs(b'new/\\xe9t\\xe9'); open('plain', 'w').write('new')",
    );
    expect([complaint, outcome.kept]).toEqual(["", ["plain"]]);
    expect(outcome.held).toEqual([{ path: "new", why: expect.stringMatching(/^"new\/.*a name of text$/) }]);
  });

  test("leaves a file with the longest name", async () => {
    const { complaint, outcome } = await python("open('n' * 255, 'w'); open('plain', 'w').write('new')");
    expect([complaint, outcome.held, outcome.kept.length]).toEqual(["", [], 2]);
  });

  describe("that ends without closing a database", () => {
    const MADE = "db = sqlite3.connect('db.sqlite'); db.execute('pragma journal_mode=wal');";
    const INSERT = "db.execute('insert into t values (2)'); db.commit()";

    beforeEach(() => {
      one.bare(`python3 -c "import sqlite3; ${MADE} db.execute('create table t (n)'); db.close()"`);
    });

    test("leaves the files next to it", async () => {
      const { outcome } = await python(`${MADE} ${INSERT}; os._exit(0)`);
      expect([outcome.held, outcome.kept.toSorted()]).toEqual([[], ["db.sqlite-shm", "db.sqlite-wal"]]);
      expect(one.bare(`python3 -c "import sqlite3; ${MADE} print(*db.execute('select * from t'))"`)).toBe(
        "(2,)\n",
      );
    });

    test("waits with them while another program has it open, or has changed it", async () => {
      const file = openSync(at("db.sqlite"), "r");
      const { outcome } = await python(`${MADE} ${INSERT}; os._exit(0)`);
      const wait = (why: string) =>
        ["db.sqlite-shm", "db.sqlite-wal"].map((path) => ({ path, why: expect.stringContaining(why) }));
      expect([outcome.kept, outcome.held]).toEqual([[], wait("open in another process")]);
      closeSync(file);
      const keep = async () => (await projectPast(one.folder, one.project)).keep(outcome.number ?? 0);
      const before = readFileSync(at("db.sqlite"));
      one.write("db.sqlite", `${before}more`);
      expect(await keep()).toEqual(wait("changed by another program meanwhile"));
      writeFileSync(at("db.sqlite"), before);
      expect(await keep()).toEqual([]);
    });
  });
});
