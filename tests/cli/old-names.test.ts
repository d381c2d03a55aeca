import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OLD_NAMES } from "../../packages/cli/src/terminal/old-names.ts";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  mkdirSync(join(bench.project, ".claude"));
});
afterEach(() => bench.remove());

const LINES = [
  "install claude-code --dry-run",
  "install claude-code --dry-run --json",
  "install claude-code --yes",
  "install cursor --yes --json",
  "install claude-code",
  "install --list",
  "install notepad",
  "install claude-code --fast",
  "approve 12345678",
  "approve",
  "approve 12345678 --always --rule --json",
  "reject 12345678 not now",
  "answer 12345678 red --json",
  "answer 12345678",
];

describe("an old name", () => {
  test.each(LINES)("does what the new one does, byte for byte: %s", async (line) => {
    const [old = "", ...rest] = line.split(" ");
    const outcomes = [];
    for (const name of [old, OLD_NAMES[old] ?? ""]) {
      rmSync(bench.environment.TOOLKEEP_HOME, { recursive: true, force: true });
      for (const path of [".claude", ".cursor", ".mcp.json", ".toolkeep"])
        rmSync(join(bench.project, path), { recursive: true, force: true });
      const outcome = await bench.runHere([...name.split(" "), ...rest]);
      outcomes.push({ outcome, files: snapshotOf(bench.project) });
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
  });

  test.runIf(hasPseudoTerminal)(
    "says the new one at a terminal, once, and never where it is read",
    async () => {
      const at = { cwd: bench.project, env: bench.environment };
      const shown = async (line: string) =>
        stripVTControlCharacters((await inTerminal(`${OWN_LINE} ${line}`, [], at)).shown);
      const NOTE = "`toolkeep reject` is now `toolkeep approvals reject`.";
      expect((await shown("reject 12345678")).split(NOTE)).toHaveLength(2);
      for (const quiet of ["reject 12345678 --json", "-q reject 12345678", "approvals reject 12345678"])
        expect(await shown(quiet)).not.toContain("is now");
      expect(await shown("reject 12345678 2>&1 | cat")).not.toContain("is now");
      expect(await shown("reject 12345678 2>/dev/null")).not.toContain("is now");
    },
  );

  test.each(["approve 1", "answer 1 x", "install claude-code --yes"])(
    "is refused to agents: %s",
    async (line) => {
      const { code, stderr } = await bench.run(line.split(" "), { env: { CLAUDECODE: "1" } });
      expect([code, stderr]).toEqual([3, expect.stringContaining(OLD_NAMES[line.split(" ")[0] ?? ""] ?? "")]);
    },
  );
});
