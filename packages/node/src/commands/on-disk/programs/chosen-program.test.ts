import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { putFile, temporaryFolder } from "../../../../../../tests/temporary-folder.ts";
import { parseCommand } from "../../parse-command.ts";
import { commandsOnDisk } from "../commands-on-disk.ts";

let home: string;
let root: string;
beforeEach(() => {
  home = temporaryFolder();
  root = join(home, "code/ws");
  mkdirSync(join(root, "src"), { recursive: true });
  vi.stubEnv("HOME", home);
  for (const name of ["MISE_DATA_DIR", "ASDF_DATA_DIR", "PYENV_ROOT", "RBENV_ROOT", "VOLTA_HOME"])
    vi.stubEnv(name, undefined);
  vi.stubEnv("PATH", `${home}/bin:/usr/bin:/bin`);
});
afterEach(() => vi.unstubAllEnvs());

const put = (path: string, text: string, mode = 0o644) =>
  putFile(path.startsWith("/") ? path : join(root, path), text, mode);

/** Shims as each manager makes them: a link to its program, or a script of one kind. */
const PROGRAMS = "npm jq rg gh python go cargo ruby node yarn eslint".split(" ");
const MANAGERS: Readonly<Record<string, (name: string) => void>> = {
  mise: (name) => linked(`.local/share/mise/shims/${name}`, ".local/bin/mise"),
  asdf: (name) =>
    script(`.asdf/shims/${name}`, `# asdf-plugin: any 1.0\nexec ${home}/.asdf/bin/asdf exec "${name}" "$@"`),
  pyenv: (name) => script(`.pyenv/shims/${name}`, `exec "${home}/.pyenv/libexec/pyenv" exec "$program" "$@"`),
  rbenv: (name) => script(`.rbenv/shims/${name}`, `exec "/usr/local/bin/rbenv" exec "$program" "$@"`),
  volta: (name) => linked(`.volta/bin/${name}`, ".volta/bin/volta-shim"),
  proto: (name) => linked(`.proto/shims/${name}`, ".proto/bin/proto-shim"),
  corepack: (name) => linked(`bin/${name}`, `lib/node_modules/corepack/dist/${name}.js`),
  unknown: (name) => script(`.other/shims/${name}`, `exec other-manager "$0" "$@"`),
};

function script(path: string, text: string): void {
  put(join(home, path), `#!/usr/bin/env bash\nset -e\nprogram="\${0##*/}"\n${text}\n`, 0o755);
}

function linked(path: string, to: string): void {
  put(join(home, to), "\u007fELF", 0o755);
  mkdirSync(dirname(join(home, path)), { recursive: true });
  symlinkSync(join(home, to), join(home, path));
}

function install(manager: string, folder?: string): void {
  for (const name of PROGRAMS) MANAGERS[manager]?.(name);
  if (folder !== undefined) vi.stubEnv("PATH", `${home}/${folder}:/usr/bin:/bin`);
}

const parsed = new Map<string, ReturnType<typeof parseCommand>>();

async function chosenFor(line: string): Promise<string | undefined> {
  if (!parsed.has(line)) parsed.set(line, parseCommand(line, { home }));
  const { commands = [] } = (await parsed.get(line)) ?? {};
  const effects = await commandsOnDisk(
    { line, commands, folder: root },
    { roots: [root], isProtected: () => false },
  );
  const notes = effects.map(({ note = "" }) => /^the project says by (".*") which program /.exec(note)?.[1]);
  const file = notes.find((one) => one !== undefined);
  return file === undefined ? undefined : (JSON.parse(file) as string).slice(root.length + 1);
}

const LINES = ["npm --version", "jq . package.json", "rg hi src", "gh --version", "python --version"];
const MORE_LINES = [
  "go version",
  "cargo --version",
  "ruby --version",
  "cd src && jq . a",
  "timeout 5 jq . a",
];

/** What picks a program, and what only picks a version of one, for each file that a manager follows. */
const DECIDING: readonly (readonly [manager: string, file: string, text: string])[] = [
  ["mise", ".tool-versions", "nodejs 22.1.0\njq path:./tools\n"],
  ["mise", ".tool-versions", "jq ref:main\n"],
  ["mise", ".tool-versions", 'jq {{exec(command="sh x")}}\n'],
  ...[
    ...[
      "mise.toml",
      ".mise.toml",
      "mise.local.toml",
      "mise.ci.local.toml",
      ".config/mise.toml",
      "mise/config.toml",
    ],
    ...[
      ".mise/config.local.toml",
      ".config/mise/config.toml",
      ".config/mise/conf.d/a.toml",
      ".mise/conf.d/a.toml",
    ],
  ].map((file) => ["mise", file, '[tools]\nnode = "path:./tools"\n'] as const),
  ["mise", "mise.toml", '[tools]\nnode = { version = "22", postinstall = "sh x" }\n'],
  ["mise", "mise.toml", '[tools]\nnode = "\\u0070ath:./x"\n'],
  ["mise", "mise.toml", '[tools]\n"http:jq" = "1"\n'],
  ["mise", "mise.toml", '[tools]\n"ubi:someone/jq" = "1"\n'],
  ["mise", ".tool-versions", "npm:some-jq 1.0.0\n"],
  ["mise", "mise.toml", '[env]\nNODE_ENV = "test"\n_.path = ["./bin"]\n'],
  ["mise", "mise.toml", '[env]\nLD_PRELOAD = "x.so"\n'],
  ["mise", "mise.toml", '[hooks]\nenter = "sh x"\n'],
  ["mise", "mise.toml", '[plugins]\njq = "https://example.test/jq"\n'],
  ["mise", "mise.toml", 'tools.node = "path:./tools"\n'],
  ["mise", "mise.toml", '[tasks.a]\nrun = "x"\n[tools]\nnode = "path:./tools"\n'],
  ["mise", ".nvmrc", "path:/tmp/tools\n"],
  ["mise", ".ruby-version", "../../../tools\n"],
  ["mise", "package.json", '{ "devEngines": { "runtime": { "name": "node", "version": "path:./tools" } } }'],
  ["asdf", ".tool-versions", "jq path:/tmp/tools\n"],
  ["asdf", ".node-version", "ref:abc\n"],
  ["pyenv", ".python-version", "../../code/ws/tools\n"],
  ["rbenv", ".ruby-version", "/tmp/tools\n"],
  ["volta", "package.json", '{ "volta": { "extends": "./other.json" } }'],
  ["proto", ".prototools", '[plugins]\njq = "file://./jq.toml"\n'],
  ["proto", ".prototools", 'jq = "1"\n[env]\nBASH_ENV = "x"\n'],
  ["unknown", ".tool-versions", "jq path:./tools\n"],
  ["mise", ".config/mise/conf.d/a/mise.toml", '[tools]\nnode = "path:./tools"\n'],
  ["mise", "mise/conf.d/a/mise.local.toml", '[tools]\nnode = "path:./tools"\n'],
  ["mise", ".config/miserc.toml", 'env = ["other"]\n'],
  ["mise", ".miserc.local.toml", 'env = ["other"]\n'],
  ["mise", "MISE.toml", '[tools]\nnode = "path:./tools"\n'],
  ["mise", "mise.toml", '[settings]\nquiet = """\n[tasks]\n"""\nnode.mirror_url = "http://x.test"\n'],
  ["mise", "rust-toolchain.toml", '[toolchain]\n"\\u0070ath" = "\\u002ftmp\\u002fx"\n'],
  ["asdf", ".tool-versions", "/tmp/plugin 1\n"],
  ["asdf", ".tool-versions", "../../code/ws/plugin 1\n"],
  ["rbenv", ".rbenv-vars", "RUBYOPT=-r./x\n"],
  ["volta", "package.json", '\ufeff{ "volta": { "extends": "./other.json" } }'],
  ["corepack", "package.json", '// ours\n{ "packageManager": "yarn@https://x.test/yarn.js" }'],
  ["unknown", "aqua.yaml", 'registries:\n- type: "\\x6cocal"\n  path: r.yaml\n'],
  ["unknown", "aqua.yaml", "packages:\n- import: more/*.yaml\n"],
  // TOML has headers with a comment behind them, headers of lists of tables, and strings of several lines.
  ["mise", "mise.toml", '[tasks]\n[tools]#\njq = "path:./tools"\n'],
  ["mise", "mise.toml", '[tasks]\n[[env]]\n_.path = ["./bin"]\n'],
  ["mise", "mise.toml", 'min_version = """\n[tasks]\n"""\ntools = { jq = "path:./tools" }\n'],
  ["mise", "mise.toml", 'min_version = { hard = """}\n[tasks]\n""" }\ntools = { jq = "path:./tools" }\n'],
];

const ORDINARY: readonly (readonly [manager: string, file: string, text: string])[] = [
  [
    "mise",
    ".tool-versions",
    "# ours\nnodejs 22.1.0 # lts\npython 3.12.1 system\njava temurin-21.0.1+12.0.LTS\n",
  ],
  [
    "mise",
    "mise.toml",
    [
      'min_version = "2025.1.1"\n[tools]\nnode = "22.1.0"\npython = ["3.12", "3.11"]\n"aqua:jqlang/jq" = "latest"',
      'go = { version = "1.23" } # compiler\nterraform = "1"\nruby = [\n  "3.3",\n  "3.2",\n]\n[tools.jq]\nversion = "1.7"',
      '[env]\nNODE_ENV = "development"\n[tasks.build]\nrun = """\nnpm run build && ./x {{ arg }}\n"""\n[settings]\nexperimental = true\n',
    ].join("\n"),
  ],
  ["mise", ".nvmrc", "lts/*\n"],
  ["mise", ".nvmrc", "v22.1.0"],
  ["mise", "package.json", '{ "packageManager": "pnpm@9.1.0+sha512.0f9c", "scripts": { "x": "path:./x" } }'],
  [
    "mise",
    "package.json",
    '{ "devEngines": { "runtime": { "name": "node", "version": ">=22 <25 || ^20" } } }',
  ],
  ["asdf", ".tool-versions", "nodejs 22.1.0\nripgrep latest:14\n"],
  ["pyenv", ".python-version", "3.12.1\n3.11/envs/web\n"],
  ["rbenv", ".ruby-version", "ruby-3.3.0\n"],
  ["volta", "package.json", '{ "volta": { "node": "22.1.0", "npm": "10.8.1" } }'],
  ["proto", ".prototools", 'node = "~22"\nnpm = "bundled"\n[settings]\nauto-install = true\n'],
  ["unknown", ".tool-versions", "jq 1.7\n"],
  ["rbenv", ".rbenv-vars", "NODE_ENV=test\n"],
  ["volta", "package.json", "{ broken"],
  // Another manager follows these.
  ["pyenv", ".tool-versions", "jq path:./tools\n"],
  ["asdf", "mise.toml", '[env]\n_.path = ["./bin"]\n'],
];

const FOLDERS: Readonly<Record<string, string>> = {
  mise: ".local/share/mise/shims",
  volta: ".volta/bin",
  corepack: "bin",
  unknown: ".other/shims",
};

describe("a program that a version manager stands in for", () => {
  test.each(DECIDING)("of %s is the project's own where %s picks one: %j", async (manager, file, text) => {
    install(manager, FOLDERS[manager] ?? `.${manager}/shims`);
    put(file, text);
    for (const line of [...LINES, ...MORE_LINES]) expect([line, await chosenFor(line)]).toEqual([line, file]);
  });

  test.each(ORDINARY)("of %s is the user's where %s picks a version: %j", async (manager, file, text) => {
    install(manager, FOLDERS[manager] ?? `.${manager}/shims`);
    put(file, text);
    for (const line of [...LINES, ...MORE_LINES])
      expect([line, await chosenFor(line)]).toEqual([line, undefined]);
  });

  test("is known by its usual folder too, because a client may search in more folders than its hook", async () => {
    install("mise");
    put(".tool-versions", "jq path:./tools\n");
    expect(await chosenFor("jq . a")).toBe(".tool-versions");
  });

  test("is chosen by files above, by links, and by files that cannot be read, and not by those of the home", async () => {
    install("asdf", ".asdf/shims");
    put(join(home, ".tool-versions"), "jq path:/opt/jq\n");
    expect(await chosenFor("jq . a")).toBe(undefined);
    put("other", "jq path:./tools\n");
    symlinkSync("../other", join(root, "src/.tool-versions"));
    expect(await chosenFor("cd src && jq . a")).toBe("src/.tool-versions");
    expect(await chosenFor("jq . a")).toBe(undefined);
    put(join(home, "code/.tool-versions"), "x".repeat(2 ** 20 + 1));
    expect(await chosenFor("jq . a")).toBeDefined();
  });

  test("is the one that the project has installed, where Volta prefers that one", async () => {
    install("volta", ".volta/bin");
    put("node_modules/.bin/gh", "#!/bin/sh\n", 0o755);
    expect(await chosenFor("gh --version")).toBe("node_modules/.bin/gh");
    expect(await chosenFor("node --version")).toBe(undefined);
  });

  test("of Corepack is chosen by its variables and by an address in package.json", async () => {
    install("corepack", "bin");
    put("package.json", '{ "packageManager": "yarn@4.1.0" }');
    expect(await chosenFor("yarn --version")).toBe(undefined);
    put(".corepack.env", "COREPACK_HOME=./planted\n");
    expect(await chosenFor("yarn --version")).toBe(".corepack.env");
    rmSync(join(root, ".corepack.env"));
    put("package.json", '{ "packageManager": "yarn@https://example.test/yarn.js" }');
    expect(await chosenFor("yarn --version")).toBe("package.json");
  });
});

test("a program without a shim is not chosen by such a file", async () => {
  put(".tool-versions", "jq path:./tools\nnodejs path:./tools\n");
  put(join(home, "bin/jq"), "\u007fELF", 0o755);
  for (const line of ["jq . a", "ls", "cat a"]) expect(await chosenFor(line)).toBe(undefined);
});

test("a search path that leads into the project chooses a program of the project, unless it was installed there", async () => {
  put("bin/jq", "#!/bin/sh\n", 0o755);
  put(".venv/bin/gh", "#!/bin/sh\n", 0o755);
  mkdirSync(join(root, ".venv/bin"), { recursive: true });
  symlinkSync("/bin/sh", join(root, ".venv/bin/python"));
  vi.stubEnv("PATH", `${root}/bin:${root}/.venv/bin:/usr/bin:/bin`);
  expect(await chosenFor("jq . a")).toBe("bin/jq");
  expect(await chosenFor("gh --version")).toBe(undefined);
  expect(await chosenFor("python --version")).toBe(undefined);
  for (const path of ["bin:/usr/bin", "./bin:/usr/bin"]) {
    vi.stubEnv("PATH", path);
    expect(await chosenFor("jq . a")).toBe("bin/jq");
  }
  put("jq", "#!/bin/sh\n", 0o755);
  vi.stubEnv("PATH", ":/usr/bin");
  expect(await chosenFor("jq . a")).toBe("jq");
});

test("a virtual environment puts its programs before those of the system, and only tools of the project are known", async () => {
  put(".venv/pyvenv.cfg", "");
  put(".venv/bin/activate", "");
  for (const name of ["pytest", "ls"]) put(`.venv/bin/${name}`, "#!/bin/sh\n", 0o755);
  const found = async (line: string) => {
    const { commands = [], plain } = await parseCommand(line, { home });
    expect(plain).toBe(true);
    const effects = await commandsOnDisk(
      { line, commands, folder: root },
      { roots: [root], isProtected: () => false },
    );
    return effects.filter(({ capability }) => capability === "shell.dynamic").map(({ target }) => target);
  };
  expect(await found("source .venv/bin/activate && pytest -q && cat x")).toEqual([]);
  expect(await found("source .venv/bin/activate && ls -l")).toEqual(["ls -l"]);
  expect(await found(". .venv/bin/activate; ls -l")).toEqual(["ls -l"]);
  expect(await found("ls -l")).toEqual([]);
});
