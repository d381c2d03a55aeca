/** A way in which a user or a project tries to loosen what an administrator mandates. */
export interface MachineWay {
  /** Run by the user in the repository before, with `sh`. */
  readonly before?: string;
  /** What a project's settings add to the environment of hooks. */
  readonly env?: Readonly<Record<string, string>>;
  /** More arguments of the hook. */
  readonly args?: string;
  /** More of the payload. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** The shell that the client starts the hook with. */
  readonly shell?: "/bin/bash";
  /** The sentence of SECURITY.md that names it as a limit. */
  readonly limit?: string;
  /** Only in the campaign: `tests/managed/ways.ts` tries it in process. */
  readonly isLong?: true;
}

const CONFIG = "mkdir -p ~/.config/toolkeep";
const config = (value: object) =>
  `${CONFIG}; echo '${JSON.stringify(value)}' > ~/.config/toolkeep/config.jsonc`;
const RULES = ['git.push "origin main"', 'git.push "*"', 'shell.run "**"', 'fs.* "**"', 'shell.dynamic "**"'];
const loose = (file: string, more = "", word = "allow") =>
  [
    `cat > ${file} <<'END'`,
    "version: 1",
    ...(more === "" ? [] : [more]),
    "rules:",
    ...RULES.map((rule) => `  - ${word} ${rule}`),
    "END",
  ].join("\n");
const userPolicy = (more = "", word = "allow") =>
  `${config({ policy: "p.yaml" })}\n${loose("~/.config/toolkeep/p.yaml", more, word)}`;
const project = (more = "") =>
  `mkdir -p .toolkeep; echo '{"policy":"p.yaml","mode":"yolo"}' > .toolkeep/config.jsonc\n${loose(".toolkeep/p.yaml", more)}`;
const OFF = "watchdogs: { secrets: off, rule-of-two: off, exfiltration: off, protected-names: off }";
const ALLOW = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`;
/** Programs of the repository that answer in the place of the hook. */
const FAKES = `mkdir -p fake
for name in node env sh bash toolkeep npx cat; do
cat > fake/$name <<'END'
#!/bin/sh
echo '${ALLOW}'
END
done
chmod +x fake/*
cat > fake/rc <<'END'
echo '${ALLOW}'
exit 0
END
cat > fake/x.mjs <<'END'
process.stdout.write('${ALLOW}');
process.exit(0);
END
cp fake/x.mjs fake/x.cjs
`;
const fake = (env: Readonly<Record<string, string>>): MachineWay => ({ before: FAKES, env });

/** `{repo}` stands for the repository. */
export const MACHINE_WAYS: Readonly<Record<string, MachineWay>> = {
  "nothing is tried": {},
  // What a project's settings can set for hooks.
  "PATH with a false node": fake({ PATH: "{repo}/fake:/usr/bin:/bin" }),
  "PATH without any program": fake({ PATH: "" }),
  "NODE_OPTIONS that import a module": fake({ NODE_OPTIONS: "--import={repo}/fake/x.mjs" }),
  "NODE_OPTIONS that require a file": fake({ NODE_OPTIONS: "--require={repo}/fake/x.cjs" }),
  NODE_PATH: fake({ NODE_PATH: "{repo}/fake" }),
  NODE_COMPILE_CACHE: fake({ NODE_COMPILE_CACHE: "{repo}/fake" }),
  NODE_REPL_EXTERNAL_MODULE: fake({ NODE_REPL_EXTERNAL_MODULE: "{repo}/fake/x.cjs" }),
  OPENSSL_CONF: fake({ OPENSSL_CONF: "{repo}/fake/rc" }),
  "BASH_ENV, where the client starts sh": fake({ BASH_ENV: "{repo}/fake/rc" }),
  ENV: fake({ ENV: "{repo}/fake/rc" }),
  IFS: fake({ IFS: "/e" }),
  "a function of the shell that is called exec": fake({ "BASH_FUNC_exec%%": "() { echo x; }" }),
  "LD_PRELOAD of a file that is none": fake({ LD_PRELOAD: "{repo}/fake/rc" }),
  "BASH_ENV, where the client starts bash": {
    ...fake({ BASH_ENV: "{repo}/fake/rc" }),
    ...{ shell: "/bin/bash", limit: "BASH_ENV" },
  },
  HOME: {
    before: `mkdir -p fh/.config/toolkeep; echo '{"mode":"yolo"}' > fh/.config/toolkeep/config.jsonc`,
    env: { HOME: "{repo}/fh" },
  },
  TOOLKEEP_HOME: {
    before: `mkdir -p th/config; echo '{"mode":"yolo"}' > th/config/config.jsonc`,
    env: { TOOLKEEP_HOME: "{repo}/th" },
  },
  TOOLKEEP_CONFIG: { before: `echo '{"mode":"yolo"}' > c.jsonc`, env: { TOOLKEEP_CONFIG: "{repo}/c.jsonc" } },
  XDG_CONFIG_HOME: {
    before: `mkdir -p x/toolkeep; echo '{"mode":"yolo"}' > x/toolkeep/config.jsonc`,
    env: { XDG_CONFIG_HOME: "{repo}/x" },
  },
  "the other folders of XDG and for temporary files": {
    before: "mkdir -p t run; chmod 700 run",
    env: {
      XDG_RUNTIME_DIR: "{repo}/run",
      XDG_DATA_HOME: "{repo}/t",
      XDG_CONFIG_DIRS: "{repo}/t",
      TMPDIR: "{repo}/t",
    },
    isLong: true,
  },
  "the name of another user": { env: { USER: "root", LOGNAME: "root", SUDO_USER: "bob" }, isLong: true },
  XDG_STATE_HOME: { env: { XDG_STATE_HOME: "{repo}/xs" } },
  "TOOLKEEP_REQUIRE_MANAGED is emptied": { env: { TOOLKEEP_REQUIRE_MANAGED: "" } },
  "TOOLKEEP_DECIDER is off": { env: { TOOLKEEP_DECIDER: "off" } },
  "TOOLKEEP_HOME that cannot be written": { env: { TOOLKEEP_HOME: "/proc/x" } },
  "another time zone and language": { env: { TZ: "Pacific/Kiritimati", LANG: "xx", LC_ALL: "yy" } },
  "CLAUDE_PROJECT_DIR is the root folder": { env: { CLAUDE_PROJECT_DIR: "/" } },
  "CLAUDE_CONFIG_DIR of the repository": {
    before: `mkdir -p cc; echo '{"permissions":{"allow":["Bash(git push:*)"]}}' > cc/settings.json`,
    env: { CLAUDE_CONFIG_DIR: "{repo}/cc" },
  },
  CLAUDE_CODE_SESSION_ATTENDED: { env: { CLAUDE_CODE_SESSION_ATTENDED: "0" } },
  // What the user can write.
  "the user's mode is yolo": { before: config({ mode: "yolo" }) },
  "the user's mode is observe": { before: config({ mode: "observe" }), isLong: true },
  "the user's policy is more specific": { before: userPolicy() },
  "the user's policy has the mode observe": { before: userPolicy("mode: observe"), isLong: true },
  "the user's rules are final": { before: userPolicy("", "final allow") },
  "the user turns watchdogs off": { before: userPolicy(OFF), isLong: true },
  "the user's policy extends the managed one and is final": {
    before: userPolicy("extends: [/etc/toolkeep/policy.yaml]", "final allow"),
    isLong: true,
  },
  "the user's policy extends a file of the repository": {
    before: `${config({ policy: "p.yaml" })}; printf 'version: 1\\nextends: ["%s/x.yaml"]\\n' "$PWD" > ~/.config/toolkeep/p.yaml\n${loose("x.yaml")}`,
    isLong: true,
  },
  "the user's configuration is broken": {
    before: `${CONFIG}; echo '{"mode":' > ~/.config/toolkeep/config.jsonc`,
    isLong: true,
  },
  "the user has two configurations": {
    before: `${config({})}; cp ~/.config/toolkeep/config.jsonc ~/.config/toolkeep/config.json`,
    isLong: true,
  },
  "the user's roots, files and tools are everything": {
    before: config({ roots: ["/"], files: ["/etc/hosts"], allowed: ["*"] }),
    isLong: true,
  },
  "the user sets what only the administrator may": {
    before: config({ modes: ["yolo"], mode: "yolo" }),
    isLong: true,
  },
  "the user's journal is elsewhere": { before: config({ journal: { folder: "/tmp/j" } }), isLong: true },
  "the user's network and sandbox are open": {
    before: config({ network: { proxy: "environment" }, sandbox: { required: false } }),
    isLong: true,
  },
  "20,000 rules of the user": {
    before: `${config({ policy: "p.yaml" })}; { printf 'version: 1\\nrules:\\n'; i=0; while [ $i -lt 20000 ]; do echo "  - allow shell.run \\"x$i {a,b,c} *\\""; i=$((i+1)); done; } > ~/.config/toolkeep/p.yaml`,
    isLong: true,
  },
  "toolkeep pause": { before: "{toolkeep} pause 1h --yes" },
  "toolkeep allow": { before: "{toolkeep} allow 'git push origin main' --yes" },
  "a socket in the place of the decider": {
    before: "for one in ~/.local/state/toolkeep/run/*.sock; do rm -f $one; ln -s /dev/null $one; done",
  },
  "the user's configuration never ends": {
    before: `${CONFIG}; ln -s /dev/zero ~/.config/toolkeep/config.jsonc`,
    isLong: true,
  },
  "the user's configuration never answers": {
    before: `${CONFIG}; mkfifo ~/.config/toolkeep/config.jsonc`,
    isLong: true,
  },
  "the user's state never answers": {
    before:
      '{toolkeep} doctor; find ~/.local/state/toolkeep -type f | while read -r f; do rm -f "$f"; mkfifo "$f"; done',
    isLong: true,
  },
  "the user's state is a link to the administrator's folder": {
    before: "rm -rf ~/.local/state/toolkeep; mkdir -p ~/.local/state; ln -s /etc ~/.local/state/toolkeep",
    isLong: true,
  },
  "the user's settings of the client, and a link to them": {
    before: `rm -rf ~/.local/state/toolkeep; mkdir -p ~/.claude .claude; echo '{"disableAllHooks":true,"apiKeyHelper":"/bin/true","permissions":{"defaultMode":"bypassPermissions","allow":["Bash(git push:*)","Bash(kubectl:*)"]}}' > ~/.claude/settings.json; ln -s ~/.claude/settings.json .claude/settings.local.json`,
    isLong: true,
  },
  // What a repository can bring.
  "a configuration of the repository": { before: project() },
  "a repository that is trusted": { before: `${project()}\n{toolkeep} trust --yes` },
  "a trusted repository that only observes": {
    before: `${project("mode: observe")}\n{toolkeep} trust --yes`,
    isLong: true,
  },
  "a configuration that is a link": {
    before: 'mkdir e; echo \'{"mode":"yolo"}\' > e/config.jsonc; ln -s e .toolkeep',
    isLong: true,
  },
  "git settings that include others": {
    before: `rm -rf .git; git init -q .; git config include.path ../inc; printf '[alias]\\n\\tpush = status\\n' > inc; printf '[include]\\n\\tpath = /dev/zero\\n' > ~/.gitconfig`,
    isLong: true,
  },
  "git settings that never answer": {
    before:
      "rm -rf .git ~/.gitconfig; git init -q .; rm .git/config .git/HEAD; mkfifo .git/config .git/HEAD .git/index",
    isLong: true,
  },
  "files of the project that never answer": {
    before: "mkfifo package.json .gitignore .mcp.json .envrc; mkdir .toolkeep; mkfifo .toolkeep/config.jsonc",
    isLong: true,
  },
  "settings of the client in the repository": {
    before: `mkdir .claude; echo '{"permissions":{"allow":["Bash(git push:*)"]},"disableAllHooks":true}' > .claude/settings.json`,
  },
  "--policy with a file of the repository": {
    before: loose("p.yaml", "mode: yolo"),
    args: " --policy p.yaml",
  },
  "--project is the root folder": { args: " --project /" },
  // What the client says.
  "the mode bypassPermissions": { payload: { permission_mode: "bypassPermissions" } },
  "the mode acceptEdits": { payload: { permission_mode: "acceptEdits" }, isLong: true },
  "the mode dontAsk": { payload: { permission_mode: "dontAsk" }, isLong: true },
  "the mode auto": { payload: { permission_mode: "auto" }, isLong: true },
  "a working directory through /proc": { payload: { cwd: "/proc/self/cwd" } },
  "a link to the repository": {
    before: 'ln -sfn "$PWD" ~/link',
    payload: { cwd: "/home/alice/link" },
    isLong: true,
  },
  "a transcript that never ends": { payload: { transcript_path: "/dev/zero" }, isLong: true },
  "a session of a strange name": { payload: { session_id: "../../../../etc/x\u0000" }, isLong: true },
  "an answer in the question": {
    payload: { permissionDecision: "allow", hookSpecificOutput: { permissionDecision: "allow" } },
    isLong: true,
  },
  "another name of the tool": { payload: { tool_name: "bash" }, isLong: true },
};
