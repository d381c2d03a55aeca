import { beforeAll, describe, expect, test } from "vitest";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";

/*
 * The commands that have no terminal tests of their own, one after the other in one project: in a terminal, where a
 * question is answered with `y`, and without one, where nothing is asked. `scan`, `init`, `allow`, `call`, `approvals`,
 * `log` and `tools` are driven in their own files; `hook`, `exec` and `gateway` are started by clients, not at terminals.
 */

let bench: CliBench;
beforeAll(() => {
  bench = cliBench();
  bench.write("package.json", '{ "name": "shop", "scripts": { "test": "true" } }\n');
  return bench.remove;
});

interface Step {
  readonly args: string;
  readonly shows: string;
  /** The exit code without a terminal, where it is another. */
  readonly alone?: number;
  readonly code?: number;
  readonly isAsked?: true;
}

const STEPS: readonly Step[] = [
  { args: "init claude-code", shows: "Installed for claude-code", isAsked: true, alone: 4 },
  { args: "trust", shows: "is now trusted", isAsked: true, alone: 4 },
  { args: "trust list", shows: "trusted" },
  { args: "servers", shows: "No servers are configured" },
  { args: "policy explain 'git push --force'", shows: "Decision: DENY" },
  { args: "policy check", shows: "No policy file applies here", code: 2 },
  { args: "config show", shows: "toolkeep:recommended" },
  { args: "catalog", shows: "kubectl  (oc, kubecolor)" },
  { args: "catalog show kubectl", shows: "It deletes resources of a cluster. (k8s.delete)" },
  { args: "sessions list", shows: "No session" },
  { args: "completion bash", shows: "complete" },
  { args: "pause 10m", shows: "10", isAsked: true, alone: 4 },
  { args: "pause --end", shows: "There is no pause", alone: 0, code: 1 },
  { args: "approvals approve 12345678", shows: "12345678", code: 1 },
  { args: "approvals reject 12345678", shows: "12345678", code: 1 },
  { args: "approvals answer 12345678 red", shows: "12345678", code: 1 },
  { args: "uninstall claude-code", shows: "claude-code", isAsked: true, alone: 4 },
];

/** What a terminal follows as a command, other than a new line and colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /\u001B(?!\[\d*(?:;\d+)*m)|[\u0000-\u0009\u000B-\u001A\u007F-\u009F]/;

describe.skipIf(!hasPseudoTerminal)("every command", () => {
  test.each(STEPS)("$args", async ({ args, shows, code = 0, alone = code, isAsked }) => {
    const outcome = await bench.run(["-q", ...words(args)]);
    expect(outcome.code, outcome.stderr).toBe(alone);
    if (alone !== 0) expect(outcome.stdout).toBe("");
    const typing = isAsked === true ? [{ after: "[y/N]", keys: "y\n" }] : [];
    const input = { cwd: bench.project, env: bench.environment };
    const terminal = await inTerminal(`${OWN_LINE} ${args}`, typing, input);
    expect(terminal.code, terminal.shown).toBe(code);
    expect(terminal.shown).toContain(shows);
    // The line editor of a question moves the cursor.
    if (isAsked !== true) expect(terminal.shown).not.toMatch(CONTROLS);
  });
});

function words(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = ""]) => quoted ?? bare);
}
