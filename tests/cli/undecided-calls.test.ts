import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InstallRecords } from "../../packages/cli/src/clients/installed/install-record.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { examine } from "../../packages/cli/src/install/doctor/examine.ts";
import { setPause } from "../../packages/cli/src/project/pause/pauses.ts";
import { claudeHistory } from "../../packages/cli/src/scan/claude-history.ts";
import type { CliBench } from "./cli-bench.ts";
import { doctorBench, removeBench, stops, working } from "./doctor-bench.ts";
import { layHistories } from "./lay-histories.ts";

const CLIENTS = ["claude-code", "codex", "opencode"] as const;
const MINUTE_MS = 60_000;

let bench: CliBench;
beforeEach(async () => {
  bench = await doctorBench(...CLIENTS);
  for (const client of CLIENTS) installedAt(client, Date.now() - 10 * MINUTE_MS);
});
afterEach(() => removeBench(bench));

function installedAt(client: string, at: number): void {
  const record = join(new InstallRecords(bench.project).folder, `${client}.json`);
  utimesSync(record, at / 1_000, at / 1_000);
}

/** The histories as the clients wrote them, about calls in this project at this time. */
function layCalls(at: number, project = bench.project): void {
  const { home } = bench;
  for (const folder of [".claude/projects", ".codex/sessions", ".local/share/opencode"])
    rmSync(join(home, folder), { recursive: true, force: true });
  layHistories(home, CLIENTS);
  const time = new Date(at).toISOString();
  for (const folder of [".claude", ".codex"])
    change(folder, (text) =>
      text
        .replaceAll(join(home, "shop"), project)
        .replaceAll(/"timestamp":"[^"]*"/g, `"timestamp":"${time}"`),
    );
  const projects = join(home, ".claude/projects");
  const [laid = ""] = readdirSync(projects);
  renameSync(join(projects, laid), join(projects, project.replaceAll(/[^A-Za-z0-9]/g, "-")));
  const database = new DatabaseSync(join(home, ".local/share/opencode/opencode.db"));
  database.prepare("UPDATE session SET directory = ?").run(project);
  database.prepare("UPDATE part SET time_created = ?").run(at);
  database.close();
}

function change(folder: string, changed: (text: string) => string): void {
  for (const path of readdirSync(join(bench.home, folder), { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".jsonl")) continue;
    const file = join(bench.home, folder, path);
    writeFileSync(file, changed(readFileSync(file, "utf8")));
  }
}

async function undecided() {
  const { findings } = await examine(bench.project, { play: stops, probe: working });
  return findings.filter(({ code }) => code === "calls_undecided");
}

/** Asks the hook about every call of the history, as the client does. */
async function askAll(): Promise<void> {
  for await (const { calls } of claudeHistory({ HOME: bench.home }).conversations({
    unknown: () => {},
    skipped: () => {},
  }))
    for (const { payload } of calls)
      await runHook({
        client: "claude-code",
        environment: { CLAUDE_PROJECT_DIR: bench.project },
        text: JSON.stringify({ permission_mode: "default", ...payload }),
      });
}

describe("[reach A] calls in the history of a client that no hook decided", () => {
  test("are found by doctor, with their number, the time, the session, the likely reason and a command", async () => {
    const at = Date.now() - MINUTE_MS;
    layCalls(at);
    const found = await undecided();
    expect(found.map(({ about, severity }) => [about, severity])).toEqual(
      CLIENTS.map((client) => [client, "gap"]),
    );
    expect(found[0]?.message).toMatch(/^It ran \d+ calls since the installation without asking the hook/);
    expect(found[0]?.message).toContain(new Date(at).toISOString());
    expect(found[0]?.message).toContain("claude-code.7c57e849-7867-4abe-b280-ee4515aabd80");
    expect(found[0]?.message).toContain("started without your settings");
    expect(found.map(({ fix }) => fix)).toEqual([
      "sudo toolkeep init claude-code --managed",
      `toolkeep init codex --project ${bench.project}`,
      `toolkeep init opencode --project ${bench.project}`,
    ]);
  });

  test("are none where the hook decided each of them, and one is found that it missed", async () => {
    layCalls(Date.now() - MINUTE_MS);
    await askAll();
    expect((await undecided()).map(({ about }) => about)).toEqual(["codex", "opencode"]);

    const [folder = ""] = readdirSync(join(bench.home, ".claude/projects"));
    const file = join(bench.home, ".claude/projects", folder, "7c57e849-7867-4abe-b280-ee4515aabd80.jsonl");
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const asked = lines.find((line) => line.includes('"tool_use"') && line.includes('"Bash"')) ?? "";
    const [id = ""] = /toolu_\w+/.exec(asked) ?? [];
    const both = lines.filter((line) => line.includes(id) && /"tool_use"|"tool_result"/.test(line));
    writeFileSync(file, [...lines, ...both.map((line) => line.replaceAll(id, "toolu_other"))].join("\n"));
    const [found] = await undecided();
    expect(found?.message).toMatch(/^It ran 1 call since/);
    expect(found?.message).toContain("The log has other calls of that session");
  });

  test("are none that were made before the installation, while Toolkeep is paused, or in another project", async () => {
    layCalls(Date.now() - 11 * MINUTE_MS);
    expect(await undecided()).toEqual([]);

    layCalls(Date.now() - MINUTE_MS);
    await setPause(bench.project, {
      since: Date.now() - 2 * MINUTE_MS,
      until: Date.now() + MINUTE_MS,
      by: "ada",
    });
    expect(await undecided()).toEqual([]);
    await setPause(bench.project, undefined);
    expect(await undecided()).toHaveLength(3);

    const nested = join(bench.project, "nested");
    mkdirSync(join(nested, ".git"), { recursive: true });
    layCalls(Date.now() - MINUTE_MS, nested);
    expect(await undecided()).toEqual([]);
  });

  test("are none that the client did not run, and none of tools that the hook is not called for", async () => {
    layCalls(Date.now() - MINUTE_MS);
    change(".claude", (text) =>
      text
        .replaceAll(/"is_error":false,?/g, "")
        .replaceAll('"type":"tool_result"', '"type":"tool_result","is_error":true'),
    );
    change(".codex", (text) => text.replaceAll('"name":"exec_command"', '"name":"write_stdin"'));
    expect((await undecided()).map(({ about }) => about)).toEqual(["codex", "opencode"]);
    change(".codex", (text) => text.replaceAll("item_completed", "item_refused"));
    expect((await undecided()).map(({ about }) => about)).toEqual(["opencode"]);
  });
});
