import { expect, test } from "vitest";
import { fsRead, netFetch, shellRun } from "../../contract/call/effect.ts";
import { isVague } from "./fingerprint.ts";

const of = (capability: string, target: string) => ({ capability, target });

test.each([
  ["nothing", []],
  ["unknown effects", [of("unknown", "")]],
  ["a call of a server", [of("mcp.call", "server:tool")]],
  ["something read from a server", [of("mcp.read", "server:prompts/fetch")]],
  ["the same together with a concrete effect", [netFetch("a.test"), of("mcp.read", "server:prompts/fetch")]],
  ["many files", [fsRead("/w/**")]],
  ["two commands", [shellRun(["a"]), shellRun(["b"])]],
])("an approval of %s is one of the arguments", (_what, effects) => {
  expect(isVague(effects)).toBe(true);
});

test.each([
  ["a file", [fsRead("/w/a")]],
  ["a host", [netFetch("a.test")]],
  ["a command", [shellRun(["ls", "*.ts"])]],
])("an approval of %s is one of what it does", (_what, effects) => {
  expect(isVague(effects)).toBe(false);
});
