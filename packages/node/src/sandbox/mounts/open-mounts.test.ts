import { afterEach, expect, test } from "vitest";
import { mountCheck } from "./mount-check.ts";
import { canBeSwapped, keepOpenMounts, type OpenMount, planWithOpenMount } from "./open-mounts.ts";

const opened: OpenMount[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) one.forget();
});

function open(...write: readonly string[]): OpenMount {
  const openMount = keepOpenMounts({ write });
  opened.push(openMount);
  return openMount;
}

const MOUNTS = [
  { path: "/ws", as: "readable" },
  { path: "/ws/sub/.env", as: "hidden file" },
] as const;

test("[reading 1.3] mounts are verified while a command runs, also after a shorter one with the same folder", () => {
  const long = open("/ws");
  const short = open("/ws");
  expect(mountCheck(MOUNTS)).toBeDefined();
  short.end();
  short.forget();
  expect(mountCheck(MOUNTS)).toBeDefined();
  long.end();
  expect(mountCheck(MOUNTS)).toBeUndefined();
});

test("it makes no difference which of them ends first, how many there are, or how often one is ended", () => {
  const all = [open("/ws"), open("/ws", "/other"), open("/ws/sub")];
  for (const one of [all[1], all[1], all[0]]) one?.end();
  expect([canBeSwapped("/ws/sub/x"), canBeSwapped("/ws/x"), canBeSwapped("/other/x")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("what a command had open is visible to those that began before it ended, and to no later one", () => {
  const long = open("/ws");
  const short = open("/ws", "/ws/.vscode/settings.json");
  short.end();
  short.forget();
  expect(long.openMeanwhile()).toEqual(["/ws", "/ws/.vscode/settings.json"]);
  const later = open("/ws");
  long.end();
  long.forget();
  expect(later.openMeanwhile()).toEqual(["/ws"]);
});

test("a command that ended earlier does not shorten what a longer one had open", () => {
  const first = open("/ws/.mcp.json");
  const second = open("/ws/.mcp.json");
  const third = open("/ws");
  second.end();
  second.forget();
  first.end();
  first.forget();
  expect(third.openMeanwhile()).toEqual(["/ws/.mcp.json", "/ws"]);
});

test("what a command may change is open from the start of its plan, and not after a plan that failed", async () => {
  const plan = Promise.withResolvers<void>();
  const planned = planWithOpenMount({ write: ["/ws"] }, () => plan.promise);
  expect(mountCheck(MOUNTS)).toBeDefined();
  plan.reject(new Error("too many folders"));
  await expect(planned).rejects.toThrow("too many folders");
  expect(mountCheck(MOUNTS)).toBeUndefined();
});
