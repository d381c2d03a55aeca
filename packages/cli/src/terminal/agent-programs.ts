/** What clients set for the commands that their models run. Editors set none of them in the terminals of people. */
export const MARKERS: Readonly<Record<string, string>> = {
  CLAUDECODE: "Claude Code",
  CURSOR_AGENT: "Cursor",
  CODEX_SANDBOX: "Codex",
  CODEX_SANDBOX_NETWORK_DISABLED: "Codex",
  CODEX_THREAD_ID: "Codex",
  GEMINI_CLI: "Gemini CLI",
  QWEN_CODE: "Qwen Code",
  OPENCODE: "opencode",
  AUGMENT_AGENT: "Augment",
  ANTIGRAVITY_AGENT: "Antigravity",
  AI_AGENT: "an agent",
};

/** Clients that run in terminals, by the names of their programs. An editor is not among them: people have terminals there. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  qwen: "Qwen Code",
  opencode: "opencode",
  copilot: "Copilot CLI",
  "cursor-agent": "Cursor",
  goose: "Goose",
  amp: "Amp",
  aider: "Aider",
};

/** Programs that run scripts: the script is what counts. */
export const RUNTIMES: ReadonlySet<string> = new Set(["node", "bun", "deno", "python", "python3"]);

/** Packages whose program has another name. */
export const PACKAGES =
  /[/\\](?:@anthropic-ai[/\\]claude-code|@openai[/\\]codex|@google[/\\]gemini-cli|opencode-ai|@github[/\\]copilot)[/\\]/;
