import type { StdioServer } from "@toolkeep/mcp";
import { expect, test } from "vitest";
import { effectsKnown } from "./effects-known.ts";

const SERVER: StdioServer = {
  name: "files",
  kind: "stdio",
  isOfProject: false,
  command: "npx",
  args: ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
  env: {},
};
const NONE = { settings: {}, maps: [] };

test("a server that is started as its map knows it is told by the map's name", () => {
  expect(effectsKnown(SERVER, NONE)).toBe("effects known: filesystem");
});

test.each([
  ["has an option the map does not know", { ...SERVER, args: [...SERVER.args, "--odd"] }, {}, "no map"],
  ["is another program", { ...SERVER, args: ["-y", "something-else"] }, {}, "no map"],
  ["has its map switched off", SERVER, { files: { map: false as const } }, "switched off"],
  ["names a map that nobody has", SERVER, { files: { map: "nobody" } }, "not there"],
])("one that %s asks, and it is said why", (_what, entry, settings, why) => {
  const said = effectsKnown(entry, { settings, maps: [] });
  expect(said).toContain("effects not known, every call asks");
  expect(said).toContain(why);
});
