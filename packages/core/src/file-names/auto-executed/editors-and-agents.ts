/** Names that an editor or an agent executes by itself when it opens the folder. */
export const EDITORS_AND_AGENTS = `
.vscode/                               | VS Code        | tasks, terminals and servers for languages            | code.visualstudio.com, tasks, workspace trust
*.code-workspace                       | VS Code        | tasks and settings of the workspace                   | code.visualstudio.com, multi-root workspaces
.devcontainer/ .devcontainer.json      | dev containers | commands on the machine and in the container          | containers.dev, devcontainer.json reference
.theia/                                | Theia          | tasks and settings                                    | theia-ide.org, preferences and tasks
.idea/                                 | JetBrains      | run configurations and tools                          | jetbrains.com/help/idea, trusted projects
.fleet/                                | JetBrains Fleet | run configurations                                   | jetbrains.com/help/fleet
.zed/                                  | Zed            | tasks and servers for languages                       | zed.dev/docs, tasks, project settings
.helix/                                | Helix          | servers for languages and formatters                  | docs.helix-editor.com, languages
.config/helix                          | Helix          | servers for languages and formatters                  | docs.helix-editor.com, configuration
*.sublime-project                      | Sublime Text   | build systems and settings of plug-ins                | sublimetext.com/docs, projects
.kateproject                           | Kate           | servers for languages and build commands              | docs.kde.org, Kate, project plug-in
.vimrc .exrc                           | Vim            | commands, with the option exrc                        | seen: Vim 9.0; :help exrc
.nvimrc .nvim.lua .config/nvim         | Neovim         | commands, with the option exrc                        | neovim.io/doc, exrc
.lvimrc                                | Vim            | commands, with the plug-in localvimrc                 | localvimrc, README
.vim/                                  | Vim            | scripts and plug-ins of the user                      | :help vimfiles
.emacs .emacs.d/                       | Emacs          | code of the user                                      | Emacs manual, init file
.dir-locals.el .dir-locals-2.el        | Emacs          | variables and code for every file in the folder       | Emacs manual, directory variables
.ycm_extra_conf.py                     | YouCompleteMe  | code, when a file is opened                           | ycm-core/YouCompleteMe, README
.solargraph.yml                        | Solargraph     | plug-ins and code that the language server loads      | solargraph.org/guides, configuration
hie.yaml                               | Haskell language server | commands that say how to build (cradle)      | haskell/hie-bios, README
buildserver.json                       | SourceKit-LSP  | the server of the build                               | build-server-protocol, discovery; SourceKit-LSP
.lsp/config.edn                        | clojure-lsp    | commands that print the classpath                     | clojure-lsp.io, settings
.project .externaltoolbuilders/        | Eclipse        | builders, when the project is opened                  | help.eclipse.org, external tool builders
.clinerules/hooks                      | Cline          | hooks                                                 | docs.cline.bot, hooks
rust-analyzer.toml                     | rust-analyzer  | commands in place of cargo check and rustfmt          | rust-analyzer.github.io, configuration
.mcp.json                              | Claude Code    | servers of tools                                      | code.claude.com/docs, mcp
.claude/ .claude.json                  | Claude Code    | hooks, permissions and servers of tools               | code.claude.com/docs, settings, hooks
.cursor/                               | Cursor         | hooks and servers of tools                            | cursor.com/docs, mcp, hooks
.windsurf/                             | Windsurf       | workflows and hooks                                   | docs.windsurf.com
.gemini/                               | Gemini CLI     | hooks and servers of tools                            | geminicli.com/docs, settings
.qwen/                                 | Qwen Code      | hooks and servers of tools                            | qwenlm.github.io/qwen-code-docs, settings
.codex/                                | Codex          | servers of tools and permissions                      | developers.openai.com/codex, config
.agent/ .agents/                       | several agents | permissions and skills with scripts                   | agentskills.io
.continue/                             | Continue       | servers of tools                                      | docs.continue.dev, mcp
.roo/                                  | Roo Code       | servers of tools                                      | docs.roocode.com, mcp
.kilocode/                             | Kilo Code      | servers of tools                                      | kilo.ai/docs, mcp
.kiro/                                 | Kiro           | hooks and servers of tools                            | kiro.dev/docs, hooks, mcp
.amazonq/                              | Amazon Q       | hooks and servers of tools                            | docs.aws.amazon.com/amazonq, mcp
.opencode/ .config/opencode opencode.json opencode.jsonc | opencode | plug-ins and servers of tools                         | opencode.ai/docs, config
.crush/ .crush.json crush.json         | Crush          | servers of tools and of languages                     | charmbracelet/crush, README
.factory/                              | Factory        | hooks and servers of tools                            | docs.factory.ai, mcp, hooks
.junie/                                | Junie          | servers of tools                                      | jetbrains.com/help/junie, mcp
.trae/                                 | Trae           | servers of tools                                      | docs.trae.ai, mcp
.iflow/                                | iFlow CLI      | hooks and servers of tools                            | platform.iflow.cn, cli settings
.amp/                                  | Amp            | servers of tools and permissions                      | ampcode.com/manual, configuration
.augment/                              | Augment        | hooks and servers of tools                            | docs.augmentcode.com, cli
.openhands/                            | OpenHands      | setup.sh, pre-commit.sh                               | docs.all-hands.dev, repository customization
.pi/                                   | pi             | extensions                                            | badlogic/pi-mono, coding-agent README
.copilot/ .github/hooks .github/copilot .github/mcp.json | Copilot CLI | hooks, settings and servers of tools | docs.github.com/copilot, hooks
.aider.conf.yml                        | aider          | commands for tests, linters and editors               | aider.chat/docs, config
.toolkeep/ .config/toolkeep .local/state/toolkeep .local/share/toolkeep | toolkeep | servers of tools, policy and approvals | ours
toolkeep.yaml toolkeep.yml toolkeep.json toolkeep.jsonc | toolkeep | policy and servers of tools | ours
`;
