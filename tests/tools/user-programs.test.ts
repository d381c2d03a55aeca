import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { modelText } from "@toolkeep/core/formats";
import { bubblewrapSandbox, openSandbox, openWorkspace, type WorkspaceOptions } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { request } from "./command-bench.ts";
import { reachableFolder } from "./reachable-folder.ts";

/** Commands never run as root: if root runs the tests, another user owns the folder. */
const ORDINARY = 12_345;

let base: string;
let home: string;
let root: string;

beforeEach(() => {
  // A home in /tmp is no home in a sandbox.
  base = reachableFolder(".user-");
  home = join(base, "home/me");
  root = join(home, "project");
  mkdirSync(root, { recursive: true });
  if (process.getuid?.() === 0) chownSync(root, ORDINARY, ORDINARY);
  vi.stubEnv("HOME", home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

function program(path: string, script: string): string {
  const whole = path.startsWith("/") ? path : join(home, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  return dirname(whole);
}

async function run(
  path: readonly string[],
  commands: readonly string[],
  more: Partial<WorkspaceOptions> = {},
) {
  const asked: string[] = [];
  const environment = { values: { PATH: [...path, "/usr/bin", "/bin"].join(":") } };
  await using workspace = await openWorkspace({ roots: [root], environment, ...more });
  await using session = await workspace.createSession({
    tools: standardTools(),
    policy: ["allow shell.run", "allow shell.dynamic", 'allow fs.* "{workspace}/**"'],
    approver: async ({ reason }) => {
      asked.push(reason);
      return { verdict: "reject" };
    },
  });
  const outputs: string[] = [];
  for (const [index, command] of commands.entries())
    outputs.push(modelText(await session.call(request("bash", { command }, `c${index}`))).trimEnd());
  return { outputs, asked };
}

describe("programs of the user in the sandbox", () => {
  test("the Node of nvm is found before the system's, with its libraries", async () => {
    const bin = program(".nvm/versions/node/v99.0.0/bin/node", 'cat "$(dirname "$0")/../lib/version"');
    mkdirSync(join(bin, "../lib"));
    writeFileSync(join(bin, "../lib/version"), "v99.0.0\n");
    const { outputs, asked } = await run(
      [bin],
      ["node --version", "which node", "echo x > ~/.nvm/versions/node/v99.0.0/lib/version"],
    );
    expect(outputs.slice(0, 2)).toEqual(["v99.0.0", join(bin, "node")]);
    expect(outputs[2]).toMatch(/Read-only|Denied/);
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  test("a shim finds its data, and a project that chooses a version runs within the sandbox alone", async () => {
    const bin = program(
      ".asdf/shims/node",
      'v=$(cat .tool-versions); exec "$HOME/.asdf/installs/$v/bin/node" "$@"',
    );
    program(".asdf/installs/24/bin/node", "echo asdf-24");
    writeFileSync(join(root, ".tool-versions"), "24\n");
    expect((await run([bin], ["node -v"])).outputs).toEqual(["asdf-24"]);
    writeFileSync(join(root, ".tool-versions"), "../../../project/evil");
    program(join(root, "evil/bin/node"), 'echo evil; cat "$HOME/.secret"; echo x > "$HOME/../escaped"');
    writeFileSync(join(home, ".secret"), "of the user");
    const { outputs } = await run([bin], ["node -v"]);
    expect(outputs[0]).toContain("evil");
    expect(outputs[0]).not.toContain("of the user");
    expect(existsSync(join(home, "../escaped"))).toBe(false);
  });

  test("the home folder is there with nothing of the user's in it but the programs; to list it asks nothing", async () => {
    const bin = program(".local/bin/hello", "echo hello");
    writeFileSync(join(home, ".bash_history"), "password");
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, ".ssh/id_rsa"), "key");
    mkdirSync(join(home, "other"));
    writeFileSync(join(root, "peek.sh"), 'cat "$HOME/.ssh/id_rsa" "$HOME/.bash_history"');
    const lines = ["hello", "ls -A ~", "echo $HOME", "bash peek.sh"];
    const { outputs, asked } = await run([bin], lines);
    expect(outputs.slice(0, 3)).toEqual(["hello", ".local\nproject", home]);
    expect(outputs[3]).not.toMatch(/^key|password/m);
    expect(asked).toEqual([]);
  });

  test("programs of the project work, and never stand before those of the system", async () => {
    program(join(root, "node_modules/pkg/cli"), "echo project-tool");
    mkdirSync(join(root, "node_modules/.bin"));
    symlinkSync("../pkg/cli", join(root, "node_modules/.bin/tool"));
    program(join(root, "node_modules/.bin/ls"), "echo HIJACKED");
    const { outputs } = await run(
      [join(root, "node_modules/.bin")],
      ["tool", "ls -d .", "node_modules/.bin/tool"],
    );
    expect(outputs).toEqual(["project-tool", ".", "project-tool"]);
  });

  test("`programs` beneath /tmp and /var/tmp are mounted", async () => {
    const folders = [tmpdir(), "/var/tmp"].map((folder) =>
      realpathSync(mkdtempSync(join(folder, "programs-"))),
    );
    for (const [index, folder] of folders.entries()) {
      chmodSync(folder, 0o755);
      program(join(folder, `tool${index}`), `echo tool${index}`);
    }
    const sandbox = await openSandbox({ prefer: [bubblewrapSandbox({ programs: folders })] });
    const lines = [
      ...folders.map((folder, index) => `${folder}/tool${index}`),
      "echo x > /tmp/y; cat /var/tmp/y",
    ];
    expect((await run([], lines, { sandbox })).outputs).toEqual(["tool0", "tool1", "x"]);
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
});
