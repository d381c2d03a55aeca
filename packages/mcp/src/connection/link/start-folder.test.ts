import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { callText, closeAll, connected, scripted } from "../connection.test.kit.ts";

const run = promisify(execFile);
const CONNECT = new URL("../connect.ts", import.meta.url).href;
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(() => closeAll());

test("a user's program starts in a fresh folder that is gone after it, each in another", async () => {
  const within = join(folder, "servers");
  const [one, other] = [
    await connected(scripted(), { folder: within }),
    await connected(scripted(), { folder: within }),
  ];
  const paths = [await callText(one, "folder"), await callText(other, "folder")];
  expect(new Set(paths).size).toBe(2);
  for (const path of [within, ...paths]) expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(
    readdirSync(within)
      .map((name) => join(within, name))
      .toSorted(),
  ).toEqual(paths.toSorted());
  expect(readdirSync(paths[0] ?? "")).toEqual(["node_modules"]);
  writeFileSync(join(paths[0] ?? "", "left.txt"), "left");
  await closeAll();
  expect(paths.filter((path) => existsSync(path))).toEqual([]);
});

test("where nothing is said, the folder lies among the temporary ones and never where we are", async () => {
  const path = await callText(await connected(scripted()), "folder");
  expect(path.startsWith(`${realpathSync(tmpdir())}/toolkeep-server-`)).toBe(true);
  const named = await callText(await connected(scripted("legacy", { cwd: folder })), "folder");
  expect(named).toBe(folder);
  const ofProject = await callText(await connected(scripted("legacy", { isOfProject: true })), "folder");
  expect(ofProject).toBe(process.cwd());
});

test("a program that cannot be started leaves no folder behind", async () => {
  const within = join(folder, "servers");
  await connected(scripted("legacy", { command: "/no/such/program" }), {
    folder: within,
    backoffMs: [60_000],
  });
  expect(readdirSync(within)).toEqual([]);
});

/** What a checkout may bring: a program, and settings of npm, for the name that the user's entry has. */
function plant(project: string): void {
  mkdirSync(join(project, "node_modules", ".bin"), { recursive: true });
  const program = join(project, "node_modules", ".bin", "planted");
  writeFileSync(program, `#!/bin/sh\ntouch ${project}/ran\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", version: "1.0.0" }));
  mkdirSync(join(project, "planted"));
  writeFileSync(
    join(project, "planted", "__main__.py"),
    `open(${JSON.stringify(join(project, "ran"))}, "w")\n`,
  );
}

test.each([
  ["npx", ["--offline", "--no-install", "planted"]],
  ["python3", ["-m", "planted"]],
])("code of the project that we are in is not run for a user's %s", async (command, args) => {
  plant(folder);
  const entry = { kind: "stdio", name: "mine", isOfProject: false, command, args, env: {} };
  const program = `
    import { connect } from ${JSON.stringify(CONNECT)};
    const connection = connect(${JSON.stringify(entry)}, { backoffMs: [60_000] });
    await connection.tried;
    console.log(connection.status.state);
    await connection.close();`;
  const words = ["--no-warnings", "--conditions=@toolkeep/source", "--input-type=module", "--eval", program];
  const { stdout } = await run(process.execPath, words, { cwd: folder, timeout: 30_000 });
  expect(stdout.trim()).toBe("waiting");
  expect(existsSync(join(folder, "ran"))).toBe(false);
});
