import { ToolFailure } from "@toolkeep/core";
import { describe, expect, test } from "vitest";
import { loadBuiltInMaps } from "./built-in-maps.ts";
import type { EffectMap } from "./effect-map.ts";
import { mapEnvironment } from "./map-environment.ts";
import { promptEffects, readingRequirements, resourceEffects } from "./reading-effects.ts";

const builtIn = await loadBuiltInMaps();
const FETCH_MAP = builtIn.named("fetch") as EffectMap;
const GIT_MAP = builtIn.named("git") as EffectMap;

const fetches = (target: string) => ({ capability: "net.fetch", target, known: "inferred" });
const DOCS: EffectMap = {
  name: "docs",
  packages: [],
  tools: {},
  resources: { docs: [{ capability: "docs.read", target: "{uri}" }] },
};

describe("reading a prompt", () => {
  test("that fetches is fetching, by the host alone", () => {
    expect(promptEffects(FETCH_MAP, "fetch", { url: "https://Evil.test:8443/x?y" })).toEqual({
      own: { capability: "mcp.read", implied: true },
      effects: [fetches("evil.test")],
    });
    expect(() => promptEffects(FETCH_MAP, "fetch", { url: "file:///etc/passwd" })).toThrow(ToolFailure);
    expect(() => promptEffects(FETCH_MAP, "fetch", {})).toThrow(ToolFailure);
  });

  test("that the map of its server does not know is a call", () => {
    expect(promptEffects(FETCH_MAP, "other", {})).toEqual({ own: { capability: "mcp.call" }, effects: [] });
    expect(promptEffects(FETCH_MAP, "toString", {}).own).toEqual({ capability: "mcp.call" });
    expect(promptEffects(GIT_MAP, "fetch", {}).own).toEqual({ capability: "mcp.call" });
  });

  test("of a server without a map is reading", () => {
    expect(promptEffects(undefined, "fetch", { a: "args" })).toEqual({
      own: { capability: "mcp.read" },
      effects: [],
    });
  });

  test.each([
    [{ url: "https://evil.test/x" }, ["evil.test"]],
    [{ a: "Look at https://one.test, then (http://two.test/x)." }, ["one.test", "two.test"]],
    [{ a: "HTTPS://ONE.test", b: "https://one.test/" }, ["one.test"]],
    [{ a: { b: ["https://deep.test/"] } }, ["deep.test"]],
    [{ a: "http://[::1]" }, ["[::1]"]],
    [{ a: "what http:// means, and https" }, []],
  ])("with addresses in its arguments may fetch them, whatever the map says: %j", (args, hosts) => {
    for (const map of [undefined, FETCH_MAP])
      expect(promptEffects(map, "other", args).effects).toEqual(hosts.map(fetches));
  });

  test.each([
    "https://good.test@evil.test/",
    "https:\\\\evil.test",
    "https://good.test\\@evil.test",
    "http:evil.test",
    "see https:///evil.test",
  ])("with an address that others could read otherwise fails: %s", (url) => {
    expect(() => promptEffects(undefined, "x", { url })).toThrow("effects of the call are unknown");
  });
});

describe("reading a resource", () => {
  test("is what the map says of its scheme, else a call", () => {
    expect(resourceEffects(DOCS, "DOCS://a/b")).toEqual({
      own: { capability: "mcp.read", implied: true },
      effects: [{ capability: "docs.read", target: "DOCS://a/b", known: "inferred" }],
    });
    expect(resourceEffects(DOCS, "other://a").own).toEqual({ capability: "mcp.call" });
    expect(resourceEffects(DOCS, "no address").own).toEqual({ capability: "mcp.call" });
    expect(resourceEffects(undefined, "docs://a").own).toEqual({ capability: "mcp.read" });
  });

  test("by an address of the web may fetch it", () => {
    expect(resourceEffects(undefined, "https://evil.test/a").effects).toEqual([fetches("evil.test")]);
    expect(resourceEffects(FETCH_MAP, "http://evil.test").effects).toEqual([fetches("evil.test")]);
  });
});

test("what reading may need is what it may do", () => {
  expect(readingRequirements(undefined)).toEqual({ net: { hosts: ["*"] }, capabilities: ["mcp.read"] });
  expect(readingRequirements(DOCS)).toEqual({
    net: { hosts: ["*"] },
    capabilities: ["docs.read", "mcp.read", "mcp.call"],
  });
});

test("a map says what its program must find in its environment", () => {
  expect(mapEnvironment(undefined)).toEqual({});
  expect(mapEnvironment(FETCH_MAP)).toEqual({});
  expect(mapEnvironment(GIT_MAP)).toMatchObject({ GIT_CONFIG_KEY_0: "safe.bareRepository" });
});
