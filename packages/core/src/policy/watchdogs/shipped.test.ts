import { expect, test } from "vitest";
import { fsWrite } from "../../contract/effect.ts";
import type { WatchdogSettings } from "../../contract/watchdog.ts";
import { circumstancesOf, judgedCall } from "../judged-call.ts";
import { shippedWatchdogs } from "./shipped.ts";

function names(settings?: WatchdogSettings): readonly string[] {
  return shippedWatchdogs(settings).map(({ name }) => name);
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
  ]);
  expect(names({ loop: 3, secrets: "ask" })).toEqual([...names(), "loop"]);
  expect(shippedWatchdogs()).toBe(shippedWatchdogs());
  expect(Object.isFrozen(shippedWatchdogs())).toBe(true);
  expect(shippedWatchdogs().every((watchdog) => Object.isFrozen(watchdog))).toBe(true);
});

test("each can be switched off or told what to say", () => {
  expect(names({ loop: "off", "rule-of-two": "off" })).toEqual([
    "secrets",
    "exfiltration",
    "protected-names",
    "overreach",
    "risky-commands",
    "changed-scripts",
  ]);
  const call = judgedCall({ tool: "write", effects: [fsWrite("/repo/.git/config")] });
  const judge = (settings: WatchdogSettings) =>
    shippedWatchdogs(settings).map((watchdog) => watchdog.judge(call, circumstancesOf()));
  expect(judge({ "protected-names": "deny" })).toContainEqual(expect.objectContaining({ action: "deny" }));
  expect(judge({})).toContainEqual(expect.objectContaining({ action: "ask" }));
});

test.each([
  ["protected-name", "ask"],
  ["constructor", "off"],
  ["secrets", "allow"],
  ["secrets", 5],
  ["loop", "ask"],
  ["loop", 1],
])("%s: %s is refused", (name, value) => {
  expect(() => shippedWatchdogs({ [name]: value } as WatchdogSettings)).toThrow(
    expect.objectContaining({ code: "invalid_option" }),
  );
});

test("a long line of commands is looked through in little time", () => {
  const started = performance.now();
  for (const unit of ["[", "}", "a=", "../", "{a,", ".", "'", "* "]) {
    const target = unit.repeat(Math.floor(8_000 / unit.length));
    const effects = [
      { capability: "shell.dynamic", target },
      { capability: "shell.run", target },
      fsWrite(`/${target}`),
    ];
    for (const watchdog of shippedWatchdogs()) {
      watchdog.judge(judgedCall({ tool: "bash", effects }), circumstancesOf());
    }
  }
  expect(performance.now() - started).toBeLessThan(2_000);
});
