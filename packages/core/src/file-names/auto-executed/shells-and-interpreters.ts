/** Names that a shell, a prompt or an interpreter executes by itself when it starts or when a folder is entered. */
export const SHELLS_AND_INTERPRETERS = `
.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile | bash | commands | seen: bash 5.2; bash(1), invocation
.zshrc .zshenv .zprofile .zlogin .zlogout | zsh | commands | zsh(1), startup files
.kshrc .cshrc .tcshrc .login           | ksh, csh, tcsh | commands                                              | ksh(1), tcsh(1)
.config/fish                           | fish           | commands                                              | fish(1), configuration
.inputrc                               | readline       | what keys type                                        | readline(3), init file
.xinitrc .xprofile .xsessionrc .xsession | X            | commands when a session starts                        | xinit(1), Xsession(5)
.pam_environment .config/environment.d | login          | variables of every program                            | pam_env(8), environment.d(5)
.config/systemd .config/autostart launchagents/ launchdaemons/ | the session | services and programs that start by themselves | systemd.unit(5), Desktop autostart specification, launchd.plist(5)
.forward .procmailrc .mailcap          | mail           | commands for mail that arrives or is opened           | aliases(5), procmailrc(5), mailcap(5)
.config/direnv                         | direnv         | what every .envrc may call                            | seen: direnv 2.32.1; direnv(1), direnvrc
.direnv/*.rc                           | nix-direnv     | commands when the folder is entered                   | nix-community/nix-direnv, README
.autoenv .autoenv.zsh .autoenv_leave.zsh | autoenv      | commands when the folder is entered                   | zpm-zsh/autoenv, hyperupcall/autoenv, README
.tool-versions                         | asdf, mise     | programs of a folder, by path:                        | seen: mise 2026.9.15; asdf-vm.com, versions
mise.toml .mise.toml mise.*.toml .mise.*.toml .mise/config.toml mise/config.toml .config/mise .config/mise.toml | mise | hooks and variables when the folder is entered | seen: mise 2026.9.15; mise.jdx.dev, configuration, hooks
.mise/config.*.toml mise/config.*.toml .mise/conf.d mise/conf.d .config/mise.*.toml .miserc.toml .miserc.*.toml .config/miserc.toml .config/miserc.*.toml | mise | hooks and variables when the folder is entered | seen: mise 2026.9.15; mise.jdx.dev, configuration
.prototools .prototools.*              | proto          | plug-ins and variables of programs                    | moonrepo.dev/docs/proto, config
.vfox.toml vfox.toml                   | vfox           | plug-ins of programs                                  | vfox.dev, configuration
.rvmrc .versions.conf                  | RVM            | commands and variables when the folder is entered     | rvm.io/workflow/projects
.shadowenv.d/                          | shadowenv      | variables when the folder is entered                  | shopify.github.io/shadowenv
.bash_completion .config/bash_completion .local/share/bash-completion | bash | commands, with bash-completion | scop/bash-completion, README
.gdbinit .lldbinit                     | gdb, lldb      | commands                                              | gdb(1), lldb(1)
.gdbearlyinit .config/gdb              | gdb            | commands                                              | gdb(1), early initialization
.lessfilter .lesskey .config/lesskey   | less           | commands that prepare what is shown                   | lesspipe(1), lesskey(1)
.ctags.d/ ctags.d/ .ctags .config/ctags | ctags         | options: which file is written, what is run           | seen: ctags 5.9; ctags(1), files
.perldb                                | Perl           | code, in the debugger                                 | seen: perl 5.36; perldebug(1)
.curlrc .wgetrc                        | curl, wget     | where to, through whom, into which file               | curl(1), wget(1)
.screenrc .tmux.conf                   | screen, tmux   | commands                                              | screen(1), tmux(1)
.psqlrc .sqliterc                      | psql, sqlite3  | commands                                              | psql(1), sqlite3(1)
.ripgreprc                             | ripgrep        | programs that read files                              | rg(1), configuration files, --pre
.pythonrc                              | Python         | code, where PYTHONSTARTUP names it                    | python(1)
.rbenv-vars .nodenv-vars .pyenv-vars   | rbenv-vars and the like | variables of programs                        | rbenv/rbenv-vars, README
.pdbrc .pdbrc.py                       | Python, pdb++  | commands of the debugger                              | seen: Python 3.11; docs.python.org, pdb; pdbpp, README
sitecustomize.py usercustomize.py      | Python         | code, whenever it is found on the path                | seen: Python 3.11; docs.python.org, site
.irbrc .pryrc                          | Ruby           | code                                                  | ruby/irb, configurations; pry.github.io
.rprofile .renviron                    | R              | code and variables                                    | R documentation, Startup
.ghci .iex.exs .octaverc .ocamlinit    | GHCi, IEx, Octave, OCaml | code                                        | GHC user guide, IEx, Octave manual, OCaml manual
`;
