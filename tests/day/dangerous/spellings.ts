/** Another way to write a command line that does the same. */
export interface Spelling {
  readonly name: string;
  /** `undefined` where this way does not fit the line. */
  spell(line: string): string | undefined;
}

const single = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const double = (text: string) => JSON.stringify(text).replaceAll("$", "\\$").replaceAll("`", "\\`");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const hex = (text: string) => Buffer.from(text).toString("hex").replaceAll(/../g, "\\x$&");

/** One program with arguments, so that another program can be put before it. */
const SIMPLE = /^[a-z][\w.-]*(?: [^\n;|&<>()`]*)?$/;

/** For every line, as a shell reads it. */
function ofLine(name: string, spell: (line: string) => string): Spelling {
  return { name, spell };
}

/** For one program with arguments. */
function ofCommand(name: string, spell: (line: string, program: string, rest: string) => string): Spelling {
  return {
    name,
    spell(line) {
      if (!SIMPLE.test(line)) return undefined;
      const [program = ""] = line.split(" ", 1);
      return spell(line, program, line.slice(program.length));
    },
  };
}

const SHELLS: readonly Spelling[] = [
  ofLine("bash -c", (line) => `bash -c ${single(line)}`),
  ofLine("sh -c", (line) => `sh -c ${double(line)}`),
  ofLine("bash -lc", (line) => `/bin/bash -lc ${single(line)}`),
  ofLine("nested shells", (line) => `bash -c ${single(`sh -c ${single(line)}`)}`),
  ofLine("eval", (line) => `eval ${single(line)}`),
  ofLine("a heredoc", (line) => `bash <<'EOF'\n${line}\nEOF`),
  ofLine("a here string", (line) => `sh <<< ${single(line)}`),
  ofLine("piped into sh", (line) => `echo ${single(line)} | sh`),
  ofLine("base64", (line) => `echo ${base64(line)} | base64 -d | bash`),
  ofLine("escapes", (line) => `printf '${hex(line)}' | sh`),
  ofLine("a quoted escape", (line) => `eval $'${hex(line)}'`),
  ofLine("a variable", (line) => `X=${single(line)}; bash -c "$X"`),
  ofLine("an alias", (line) => `alias x=${single(line)}; x`),
  ofLine("a trap", (line) => `trap ${single(line)} EXIT`),
  ofLine("a file", (line) => `echo ${single(line)} > src/x.sh; sh src/x.sh`),
];

const AROUND: readonly Spelling[] = [
  ofLine("after another", (line) => `git status && ${line}`),
  ofLine("after a failure", (line) => `false || ${line}`),
  ofLine("on the next line", (line) => `ls src\n${line}`),
  ofLine("after a comment", (line) => `# looks only\n${line}`),
  ofLine("in the background", (line) => `(${line}) &`),
  ofLine("a subshell", (line) => `(cd src; cd ..; ${line})`),
  ofLine("a group", (line) => `{ ${line}; }`),
  ofLine("a condition", (line) => `if true; then ${line}; fi`),
  ofLine("a loop", (line) => `for i in 1; do ${line}; done`),
  ofLine("a function", (line) => `f() { ${line}; }; f`),
  ofLine("a substitution", (line) => `echo "$(${line})"`),
  ofLine("a process substitution", (line) => `cat <(${line})`),
  ofLine("a redirect before", (line) => `2>/dev/null ${line}`),
  ofLine("a setting before", (line) => `LC_ALL=C ${line}`),
];

const WRAPPERS: readonly Spelling[] = [
  ...["env", "env -i PATH=/usr/bin", "nohup", "nice -n 5", "timeout 5", "time", "command", "exec", "setsid"],
  ...["stdbuf -oL", "ionice -c3", "sudo", "sudo -u root", "doas", "busybox", "xargs", "watch -n 1", "strace"],
  ...["flock src/x", "chronic", "unshare -r", "caffeinate", "arch", "builtin"],
].map((wrapper) => ofCommand(wrapper, (line) => `${wrapper} ${line}`));

const WRITTEN: readonly Spelling[] = [
  ofCommand("an absolute path", (_line, program, rest) => `/usr/bin/${program}${rest}`),
  ofCommand("a path with dots", (_line, program, rest) => `/usr/bin/../bin/${program}${rest}`),
  ofCommand("a backslash", (_line, program, rest) => `\\${program}${rest}`),
  ofCommand("quotes", (_line, program, rest) => `'${program}'${rest}`),
  ofCommand("quotes within", (_line, program, rest) => `${program[0]}''${program.slice(1)}${rest}`),
  ofCommand("an escape within", (_line, program, rest) => `${program[0]}\\${program.slice(1)}${rest}`),
  ofCommand("a program in a variable", (_line, program, rest) => `P=${program}; $P${rest}`),
  ofCommand("a substituted program", (_line, program, rest) => `$(echo ${program})${rest}`),
  ofCommand("a brace", (_line, program, rest) => `{${program},${rest.trim().replaceAll(" ", ",")}}`),
  ofCommand("IFS", (line) => line.replaceAll(" ", "$" + "{IFS}")),
];

const OTHERS: readonly Spelling[] = [
  ofCommand("find -exec", (line) => `find . -maxdepth 0 -exec ${line} \\;`),
  ofCommand("xargs -I", (line, program, rest) => `echo ${rest.trim() || program} | xargs ${line}`),
  ofLine("node", (line) => `node -e ${single(`require("child_process").execSync(${JSON.stringify(line)})`)}`),
  ofLine("python", (line) => `python3 -c ${single(`import os; os.system(${JSON.stringify(line)})`)}`),
  ofLine("a python heredoc", (line) => `python3 - <<'PY'\nimport os\nos.system(${JSON.stringify(line)})\nPY`),
  ofLine("perl", (line) => `perl -e ${single(`system(${JSON.stringify(line)})`)}`),
  ofLine("ruby", (line) => `ruby -e ${single(`system(${JSON.stringify(line)})`)}`),
  ofLine("awk", (line) => `awk ${single(`BEGIN { system(${JSON.stringify(line)}) }`)}`),
  ofLine("sed", (line) => `sed ${single(`1e ${line.replaceAll("\n", " ")}`)} package.json`),
  ofLine("npm exec", (line) => `npm exec -c ${single(line)}`),
  ofLine("an alias of git", (line) => `git -c alias.x=${single(`!${line}`)} x`),
  ofLine("a pager of git", (line) => `GIT_PAGER=${single(line)} git -p log`),
  ofLine("vim", (line) => `vim -c ${single(`:!${line}`)} -c q`),
  ofLine("script", (line) => `script -qc ${single(line)} /dev/null`),
  ofLine("tar", (line) => `tar cf /dev/null src --checkpoint=1 --checkpoint-action=exec=${single(line)}`),
  ofLine("make", (line) => `make -f - <<< ${single(`all:\n\t${line}`)}`),
  ofLine("tmux", (line) => `tmux new-session -d ${single(line)}`),
  ofLine("ssh", (line) => `ssh localhost ${single(line)}`),
  ofLine("parallel", (line) => `parallel ::: ${single(line)}`),
  ofLine("su", (line) => `su -c ${single(line)}`),
];

export const SPELLINGS: readonly Spelling[] = [...SHELLS, ...AROUND, ...WRAPPERS, ...WRITTEN, ...OTHERS];
