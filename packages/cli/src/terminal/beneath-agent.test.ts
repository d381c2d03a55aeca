import { afterEach, expect, test, vi } from "vitest";
import { type Ancestor, agentAbove, refuseBeneathAgent } from "./beneath-agent.ts";

const above = (...lines: readonly string[]): readonly Ancestor[] =>
  lines.map((line) => ({ argv: line.split(" "), parent: 1 }));

test.each([
  [{ CLAUDECODE: "1" }, [], "Claude Code"],
  [{ CURSOR_AGENT: "1" }, [], "Cursor"],
  [{ CODEX_THREAD_ID: "x" }, [], "Codex"],
  [{ GEMINI_CLI: "1" }, [], "Gemini CLI"],
  [{}, ["bash", "/home/ada/.local/bin/claude --resume"], "Claude Code"],
  [{}, ["/bin/sh -c x", "node /usr/lib/node_modules/@openai/codex/bin/codex.js"], "Codex"],
  [{}, ["/opt/node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"], "an agent"],
  [{}, ["node /usr/bin/toolkeep gateway"], "an agent"],
  [{}, ["/usr/bin/node --enable-source-maps /opt/toolkeep/dist/main.js exec --ticket x -- ls"], "an agent"],
])("%j beneath %j is run by %s", (environment, lines, client) => {
  expect(agentAbove(environment, above(...lines))).toBe(client);
});

test.each([
  [{}, ["bash", "/usr/bin/tmux", "/sbin/init"]],
  [
    { TERM_PROGRAM: "vscode", CURSOR_TRACE_ID: "x" },
    ["zsh", "/usr/share/cursor/cursor", "/usr/share/code/code"],
  ],
  [{ CLAUDECODE: "0", CODEX_HOME: "/home/ada/.codex" }, ["fish"]],
  [{}, ["vim claude.md", "less codex", "node /home/ada/build.js claude"]],
])("a terminal of a person is none: %j beneath %j", (environment, lines) => {
  expect(agentAbove(environment, above(...lines))).toBeUndefined();
});

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["contain on", true],
  ["contain grant", true],
  ["keep 1", true],
  ["undo", true],
  ["contain off", false],
  ["contain revoke", false],
])("an agent that runs `toolkeep %s` is refused: %s", (line, isRefused) => {
  vi.stubEnv("CLAUDECODE", "1");
  const [command = "", ...args] = line.split(" ");
  const run = () => refuseBeneathAgent([command], { options: {}, args });
  if (isRefused) expect(run).toThrow("decides what agents may do");
  else expect(run).not.toThrow();
});
