import { type ContainAttack, late, python } from "./attack.ts";

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

export const COMMIT_ATTACKS: readonly ContainAttack[] = [
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

export const UNDO_ATTACKS: readonly ContainAttack[] = [
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
