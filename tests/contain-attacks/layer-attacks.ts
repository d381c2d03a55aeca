import { type ContainAttack, python } from "./attack.ts";

export const LAYER_ATTACKS: readonly ContainAttack[] = [
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
    ...{ id: "LA10", area: "layer", tries: "a folder that is closed to its reader" },
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
  {
    ...{ id: "LA19", area: "layer", tries: "a link in a folder that is copied to the layer" },
    setup: "ln -s {OUT} src/out; ln -s {OUT} out",
    calls: ["git mv out x; git mv -k src lib; echo PWN > lib/out/victim.txt; echo PWN > x/victim.txt"],
  },
  {
    ...{ id: "LA20", area: "layer", tries: "a protected name in a folder that is renamed" },
    calls: ["mkdir src/.vscode; echo '{}' > src/.vscode/tasks.json; git mv src lib"],
    holds: "test ! -e lib/.vscode",
  },
  {
    ...{ id: "LA21", area: "layer", tries: "most of the project, made to look as if it was moved" },
    setup: "for i in 1 2 3 4 5 6 7 8 9; do echo precious > src/$i; done",
    calls: [
      python(
        "import os",
        "os.mkdir('m')",
        "for i in range(1, 10):",
        "  was = os.stat(f'src/{i}')",
        "  open(f'm/{i}', 'w').write('x' * was.st_size)",
        "  os.utime(f'm/{i}', ns=(was.st_atime_ns, was.st_mtime_ns))",
        "  os.remove(f'src/{i}')",
      ),
    ],
    holds: "grep -q precious src/9",
  },
];
