/** Names that version control executes by itself, with `git status`, `git commit` or `git push`. */
export const VERSION_CONTROL = `
.git/ git~1/                           | git            | hooks, and commands in its settings                   | seen: git 2.39.5; githooks(5), git-config(1)
.gitmodules                            | git            | where submodules come from, and how they are updated  | gitmodules(5)
.gitattributes                         | git            | filters and drivers that the settings define          | gitattributes(5)
.gitconfig .config/git                 | git            | commands in the settings of the user                  | git-config(1)
.hg/ .hgrc                             | Mercurial      | hooks and extensions                                  | hgrc(5)
.svn/                                  | Subversion     | what the working copy is and where it comes from      | Subversion book, working copy administration
.jj/                                   | Jujutsu        | commands in the settings of the repository            | docs.jj-vcs.dev, config
.sl/                                   | Sapling        | hooks and extensions                                  | sapling-scm.com, configuration
.arcconfig                             | Arcanist       | libraries that any command loads                      | secure.phabricator.com, Arcanist user guide
.githooks/                             | git            | hooks, where core.hooksPath names it                  | git-config(1), core.hooksPath
.husky/                                | git, husky     | hooks                                                 | typicode.github.io/husky
.huskyrc .huskyrc.json .huskyrc.js     | husky 4        | hooks                                                 | husky 4, README
.lefthook/                             | lefthook       | scripts of hooks                                      | lefthook.dev, source_dir
lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook.jsonc .lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json .lefthook.jsonc | lefthook | commands of hooks | seen: lefthook 2.2.2; lefthook.dev, config file name
lefthook-local.yml lefthook-local.yaml lefthook-local.toml lefthook-local.json .lefthook-local.yml .lefthook-local.yaml .lefthook-local.toml .lefthook-local.json | lefthook | commands of hooks | seen: lefthook 2.2.2; lefthook.dev, lefthook-local
.config/lefthook.yml .config/lefthook.yaml .config/lefthook.toml .config/lefthook.json .config/lefthook-local.yml .config/lefthook-local.yaml .config/lefthook-local.toml .config/lefthook-local.json | lefthook | commands of hooks | seen: lefthook 2.2.2; lefthook.dev, config file name
lefthook-local.jsonc .lefthook-local.jsonc .config/lefthook.jsonc .config/lefthook-local.jsonc | lefthook | commands of hooks | lefthook.dev, config file name
hk.pkl hk.local.pkl .config/hk.pkl     | hk             | commands of hooks                                     | hk.jdx.dev, configuration
.gclient                               | gclient        | code                                                  | depot_tools, gclient.py
.pre-commit-config.yaml .pre-commit-config.yml prek.toml | pre-commit, prek | commands of hooks | pre-commit.com, prek.j178.dev
.overcommit.yml .overcommit.local.yml  | overcommit     | commands of hooks                                     | overcommit, README
.lintstagedrc .lintstagedrc.* lint-staged.config.* | lint-staged | commands of hooks, in any folder         | seen: lint-staged 16.4.0; lint-staged, README
.nano-staged.* nano-staged.*           | nano-staged    | commands of hooks                                     | nano-staged, README
.trunk/trunk.yaml .trunk/user.yaml     | trunk          | actions of hooks, linters and their programs          | docs.trunk.io, configuration
.p4config .p4enviro p4config.txt       | Perforce       | a program in place of the server (P4PORT=rsh:)        | help.perforce.com, P4CONFIG, P4PORT
.repo/                                 | repo           | itself, in place of the program repo                  | gerrit.googlesource.com/git-repo, internal file system layout
.west/config                           | west           | which repositories add commands                       | docs.zephyrproject.org, west configuration
`;
