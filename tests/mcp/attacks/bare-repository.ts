import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadBuiltInMaps } from "../../../packages/mcp/src/effect-maps/built-in-maps.ts";
import { mapEnvironment } from "../../../packages/mcp/src/effect-maps/map-environment.ts";

/**
 * Runs within a jail. A repository tracks a folder that looks like a repository without a `.git`, whose configuration
 * names a program. Says as JSON whether git ran it, without and with what the map wants in the environment.
 */
const top = mkdtempSync(join(tmpdir(), "toolkeep-bare-"));
const plain = { PATH: process.env["PATH"] ?? "", HOME: top };
const mapped = { ...plain, ...mapEnvironment((await loadBuiltInMaps()).named("git")) };
const repository = join(top, "repository");
const nested = join(repository, "vendored");
const mark = join(top, "ran");

function git(cwd: string, args: readonly string[], env: Readonly<Record<string, string>>): number | null {
  return spawnSync("git", args, { cwd, env, stdio: "ignore" }).status;
}

function ranIn(env: Readonly<Record<string, string>>): boolean {
  rmSync(mark, { force: true });
  git(nested, ["diff"], env);
  return existsSync(mark);
}

mkdirSync(nested, { recursive: true });
git(repository, ["init", "-q"], plain);
git(nested, ["init", "-q", "--bare", "."], plain);
writeFileSync(join(nested, "a.txt"), "one\n");
git(nested, ["config", "core.bare", "false"], plain);
git(nested, ["config", "core.worktree", nested], plain);
git(nested, ["add", "a.txt"], plain);
writeFileSync(join(nested, "a.txt"), "two\n");
const program = join(top, "program");
writeFileSync(program, `#!/bin/sh\n: > ${mark}\n`, { mode: 0o755 });
appendFileSync(join(nested, "config"), `[diff]\n\texternal = ${program}\n`);

const outcome = {
  withoutMap: ranIn(plain),
  withMap: ranIn(mapped),
  // What is no such trap works as ever.
  statusAtTop: git(repository, ["status"], mapped),
  addAtTop: git(repository, ["add", "--", "vendored/a.txt"], mapped),
};
rmSync(top, { recursive: true, force: true });
process.stdout.write(JSON.stringify(outcome));
