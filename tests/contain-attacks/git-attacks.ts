import type { ContainAttack } from "./attack.ts";

const HOOK = "printf '#!/bin/sh\\ntouch {MARK}\\n'";

export const GIT_ATTACKS: readonly ContainAttack[] = [
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
