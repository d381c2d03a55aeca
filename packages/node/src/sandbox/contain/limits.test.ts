import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContainedProject, canContain, containedProject } from "./contained-project.test.kit.ts";
import { USER } from "./place/place.test.kit.ts";

const isRoot = process.getuid?.() === 0;
const UNSHARE = "unshare";
const MOUNTS = isRoot ? ["--mount"] : ["--user", "--map-current-user", "--keep-caps", "--mount"];
const canMount = canContain && spawnSync(UNSHARE, [...MOUNTS, "true"]).status === 0;

/** Says whether its file has an event, once another command is over; or the project, until it sees what the user writes. */
const WATCH = `import ctypes, os, select, sys, time
libc = ctypes.CDLL(None)
watch = libc.inotify_init()
libc.inotify_add_watch(watch, sys.argv[1].encode(), 0x2 | 0x4 | 0x80)
open("/tmp/ready", "w").close()
while sys.argv[1] != "." and not os.path.exists("made"): time.sleep(0.02)
print(bool(select.select([watch], [], [], float(sys.argv[2]))[0]))
while sys.argv[1] == "." and open("a").read() != "three\\n": time.sleep(0.02)
`;

describe.skipIf(!canContain)("a contained command that leaves what a commit does not carry as it is", () => {
  let project: ContainedProject;
  beforeAll(() => {
    project = containedProject();
    project.write("watch.py", WATCH);
    project.bare("git init -q; echo one > a; ln a b; mkdir d; echo 1 > d/x; mkfifo old");
  });
  afterAll(() => project.remove());

  test("a file with other names is held, and files that it links to each other stay linked", async () => {
    const { outcome } = await project.run("echo two >> a; echo x > p; ln p q; mkdir n; ln p n/r; ln d/x d/y");
    expect(outcome.held).toEqual([{ path: "a", why: expect.stringContaining("has other names") }]);
    expect(project.bare("cat a b; stat -c '%h %n' p q n/r d/x d/y")).toBe(
      "one\none\n3 p\n3 q\n3 n/r\n1 d/x\n2 d/y\n",
    );
  });

  test("sockets and pipes are named as held, with the new folders that they are in", async () => {
    const bind = (path: string) =>
      `python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('${path}')"`;
    const { outcome } = await project.run(
      `mkfifo f; ${bind("s")}; mkdir run; ${bind("run/s")}; rm old; echo 1 > kept`,
    );
    const why = expect.stringContaining("not a file, a folder or a link");
    expect(outcome.held.toSorted((one, two) => one.path.localeCompare(two.path))).toEqual(
      ["f", "run", "s"].map((path) => ({ path, why })),
    );
    expect(outcome.kept.toSorted()).toEqual(["kept", "old"]);
  });

  test("names that differ by case or by normalisation stay apart, and protected ones are held in any case", async () => {
    const names = ["Readme", "README", "caf\u00e9", "cafe\u0301", "stra\u00dfe", "STRASSE"];
    const held = [".VSCODE/tasks.json", ".ENVRC", ".Husky/pre-commit", ".MCP.json", ".GIT/hooks/pre-commit"];
    const put = [...names, ...held].map(
      (name) => `mkdir -p "$(dirname "${name}")"; echo "${name}" > "${name}"`,
    );
    const { outcome } = await project.run(`${put.join("; ")}; echo > $'bad\\xff'`);
    expect(outcome.kept.toSorted()).toEqual(names.toSorted());
    for (const name of names) expect(readFileSync(join(project.project, name), "utf8")).toBe(`${name}\n`);
    const tops = [...held.map((name) => name.split("/")[0]), "bad\ufffd"];
    expect(outcome.held.map(({ path }) => path).toSorted()).toEqual(tops.toSorted());
  });

  test("a watcher sees edits of the user over the project itself, and in a layer polling does", async () => {
    const edit = () => writeFileSync(join(project.project, "a"), "three\n");
    for (const [through, seconds, seen] of [
      [true, 20, "True\n"],
      [false, 0.5, "False\n"],
    ] as const) {
      project.bare("echo two > c; mv c b; cp b a");
      const ran = await project.during(`python3 watch.py . ${seconds}`, edit, { through });
      expect(ran).toMatchObject({ exitCode: 0, output: seen, complaint: "" });
    }
  });

  test("a server that watches a hidden file sees no event of it while another command runs", async () => {
    project.write(".env.local", "KEY=hush\n");
    const hidden = [join(project.project, ".env.local")];
    const look = "test -f .env.local || echo no file; cat .env.local";
    const other = async () => {
      const next = await project.run("cat .env.local; echo x > /dev/null; echo y > made", { hidden });
      expect(next.outcome.kept).toEqual(["made"]);
    };
    const through = { through: true, hidden };
    const { output } = await project.during(`${look}; python3 watch.py .env.local 0`, other, through);
    expect(output).toMatch(/^no file\ncat: .*Permission denied\nFalse\n$/);
  });
});

describe.skipIf(!canContain || !isRoot)("a client of root", () => {
  test("has commands contained as the owner of the project, and none in a project of root", async () => {
    const project = containedProject();
    try {
      const { output, outcome } = await project.run("id -u; echo new > new");
      expect([output, outcome.kept]).toEqual([`${USER.uid}\n`, ["new"]]);
      expect(statSync(join(project.project, "new")).uid).toBe(USER.uid);
      chownSync(project.project, 0, 0);
      const { exitCode, complaint } = await project.run("true");
      expect([exitCode, complaint]).toEqual([null, expect.stringContaining("belongs to root")]);
    } finally {
      await project.remove();
    }
  });
});

describe.skipIf(!canMount)("a project on another file system", () => {
  let said: Readonly<Record<string, unknown>>;
  beforeAll(() => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-mounts-")));
    chmodSync(base, 0o755);
    const script = join(import.meta.dirname, "on-mounts.test.kit.ts");
    const node = [process.execPath, "--conditions=@toolkeep/source", script, base];
    const { stdout, stderr } = spawnSync(UNSHARE, [...MOUNTS, ...node], { encoding: "utf8" });
    rmSync(base, { recursive: true, force: true });
    try {
      said = JSON.parse(stdout);
    } catch {
      throw new Error(stdout + stderr);
    }
  });

  const has = (text: string) => expect.stringContaining(text);
  test.each([
    ["tmpfs", "is contained in memory", { exitCode: 0, kept: ["a", "e"], files: "a\ne\ntwo\n" }],
    [
      ...["overlay", "has no layer on another overlay, and the reason is given"],
      { kept: [], files: "a\none\n", why: has("overlay"), complaint: has("is on an overlay") },
    ],
    [
      ...["inner", "has none with another mount in it, and the reason is given"],
      { kept: [], why: "PROJECT/in is mounted in the project", complaint: has("mounted in the project") },
    ],
    [
      ...["small", "that is full lets a command fail as outside, and what it can write is kept"],
      {
        ...{ exitCode: 0, complaint: "", kept: ["a"], held: [], files: "a\ntwo\n" },
        output: expect.stringMatching(/No space left on device\n1\n$/),
      },
    ],
  ] as [string, string, object][])("(%s) %s", (name, _, found) => {
    expect(said[name]).toMatchObject(found);
  });
});
