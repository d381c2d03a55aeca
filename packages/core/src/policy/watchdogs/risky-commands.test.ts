import { describe, expect, test } from "vitest";
import { type Effect, effect, shellRun } from "../../contract/call/effect.ts";
import { policyCall, policyContext } from "../rules/policy-call.ts";
import { riskyCommands } from "./risky-commands.ts";

function evaluate(one: Effect, watchdog = riskyCommands()) {
  return watchdog.evaluate(policyCall({ tool: "bash", effects: [one] }), policyContext());
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
    expect(evaluate(shellRun(line.split(" ")))).toMatchObject({ action: "ask" });
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
    expect(evaluate(shellRun(line.split(" ")))).toEqual({ action: "allow" });
  });
});

test("a forced push asks, with any tool", () => {
  const push = effect("git.push", "origin main");
  expect(evaluate({ ...push, forced: true })).toMatchObject({ action: "ask" });
  expect(evaluate({ ...push, forced: true }, riskyCommands("deny"))).toMatchObject({ action: "deny" });
  expect(evaluate(push)).toEqual({ action: "allow" });
});
