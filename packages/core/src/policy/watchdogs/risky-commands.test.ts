import { describe, expect, test } from "vitest";
import { type Effect, effect, shellRun } from "../../contract/effect.ts";
import { circumstancesOf, judgedCall } from "../judged-call.ts";
import { riskyCommands } from "./risky-commands.ts";

function judge(one: Effect, watchdog = riskyCommands()) {
  return watchdog.judge(judgedCall({ tool: "bash", effects: [one] }), circumstancesOf());
}

describe("commands", () => {
  test.each([
    "git reset --hard HEAD~5",
    "git reset --har",
    "git -C sub reset --hard",
    "git clean -xdf",
    "git clean --force",
    "git stash clear",
    "git reflog expire --expire=now --all",
    "git filter-branch x",
    "pip install evil-pkg",
    "pip install -U https://a.example/x.tgz",
    "python3 -m pip install x",
    "uv pip install x",
    "pipx run x",
    "gem install x",
    "cargo install x",
    "apt-get -y install x",
    "brew install x",
  ])("%s asks", (line) => {
    expect(judge(shellRun(line.split(" ")))).toMatchObject({ action: "ask" });
  });

  test.each([
    "git reset HEAD~1",
    "git reset --soft HEAD~1",
    "git clean -n",
    "git stash pop",
    "git reflog",
    "pip install -r requirements.txt",
    "pip install -e .",
    "pip install .",
    "pip list",
    "npm install zod",
    "cargo build",
    "apt list",
  ])("%s passes", (line) => {
    expect(judge(shellRun(line.split(" ")))).toEqual({ action: "allow" });
  });
});

test("a push by force asks, whoever makes it", () => {
  const push = effect("git.push", "origin main");
  expect(judge({ ...push, forced: true })).toMatchObject({ action: "ask" });
  expect(judge({ ...push, forced: true }, riskyCommands("deny"))).toMatchObject({ action: "deny" });
  expect(judge(push)).toEqual({ action: "allow" });
});
