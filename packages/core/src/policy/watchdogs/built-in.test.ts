import { expect, test } from "vitest";
import { fsWrite } from "../../contract/call/effect.ts";
import type { WatchdogSettings } from "../../contract/policy/decision.ts";
import { policyCall, policyContext } from "../rules/policy-call.ts";
import { builtInWatchdogs } from "./built-in.ts";

function names(settings?: WatchdogSettings): readonly string[] {
  return builtInWatchdogs(settings).map(({ name }) => name);
}

test("those that ship come in a fixed order, and are made once", () => {
  expect(names()).toEqual([
    "secrets",
    "rule-of-two",
    "exfiltration",
    "protected-names",
    "overreach",
    "risky-commands",
    "changed-scripts",
    "destruction",
  ]);
  expect(names({ loop: 3, secrets: "ask" })).toEqual([...names(), "loop"]);
  expect(builtInWatchdogs()).toBe(builtInWatchdogs());
  expect(Object.isFrozen(builtInWatchdogs())).toBe(true);
  expect(builtInWatchdogs().every((watchdog) => Object.isFrozen(watchdog))).toBe(true);
});

test("each can be switched off or told what to say", () => {
  expect(names({ loop: "off", "rule-of-two": "off" })).toEqual([
    "secrets",
    "exfiltration",
    "protected-names",
    "overreach",
    "risky-commands",
    "changed-scripts",
    "destruction",
  ]);
  const call = policyCall({ tool: "write", effects: [fsWrite("/repo/.git/config")] });
  const evaluate = (settings: WatchdogSettings) =>
    builtInWatchdogs(settings).map((watchdog) => watchdog.evaluate(call, policyContext()));
  expect(evaluate({ "protected-names": "deny" })).toContainEqual(expect.objectContaining({ action: "deny" }));
  expect(evaluate({})).toContainEqual(expect.objectContaining({ action: "ask" }));
});

test.each([
  ["protected-name", "ask"],
  ["constructor", "off"],
  ["secrets", "allow"],
  ["secrets", 5],
  ["loop", "ask"],
  ["loop", 1],
])("%s: %s is refused", (name, value) => {
  expect(() => builtInWatchdogs({ [name]: value } as WatchdogSettings)).toThrow(
    expect.objectContaining({ code: "invalid_option" }),
  );
});

test("a long line of commands is looked through in little time", () => {
  // Not by the clock: a busy machine may be working for others.
  const started = process.cpuUsage();
  for (const unit of ["[", "}", "a=", "../", "{a,", ".", "'", "* "]) {
    const target = unit.repeat(Math.floor(8_000 / unit.length));
    const effects = [
      { capability: "shell.dynamic", target },
      { capability: "shell.run", target },
      fsWrite(`/${target}`),
    ];
    for (const watchdog of builtInWatchdogs()) {
      watchdog.evaluate(policyCall({ tool: "bash", effects }), policyContext());
    }
  }
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(20_000);
});
