import fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob, kindOfTarget } from "./compile-glob.ts";

test("paths have segments, commands have words, and whatever else is a text", () => {
  expect(["fs.read", "fs.*", "shell.run", "net.fetch", "calendar.update"].map(kindOfTarget)).toEqual([
    "path",
    "path",
    "command",
    "text",
    "text",
  ]);
});

test.each([
  ["path", "/repo/**", ["/repo", "/repo/a", "/repo/a/b", "/repo/.a", "/repo/a\nb"], ["/works", "/other/a"]],
  ["path", "/repo/*.ts", ["/repo/a.ts", "/repo/.ts"], ["/repo/a/b.ts", "/repo/a.js"]],
  ["path", "/a/**/b", ["/a/b", "/a/x/y/b"], ["/a/xb", "/a"]],
  ["path", "/a/**/**/b", ["/a/b", "/a/x/y/b"], ["/a/xb"]],
  ["path", "**/.env", ["/.env", "/a/b/.env", ".env"], ["/a/.envrc"]],
  ["path", "/{src,test}/?.ts", ["/src/a.ts", "/test/b.ts"], ["/src/ab.ts", "/docs/a.ts"]],
  ["path", "/a{,b}", ["/a", "/ab"], ["/", "/b"]],
  ["path", "/a/*{b,*}", ["/a/x"], ["/a/x/y"]],
  ["path", "/", ["/"], ["", "/a"]],
  ["path", "/*", ["/a"], ["/", "/a/b"]],
  ["path", "/**", ["/", "/a", "/a/b"], ["a"]],
  ["path", "**", ["", "/", "/any/thing", "/a/../b"], []],
  ["text", "*.example", ["a.example", "a.b.example"], ["example", "a.example.com"]],
  ["text", "a.b", ["a.b"], ["axb"]],
  ["text", "a?{b,c}", ["axb", "a?c"], ["ab", "a*b"]],
  ["text", "*", ["", "a/b", "a?{b,c}*"], []],
] as const)("a %s pattern %j", (kind, pattern, matching, others) => {
  const { matches, mayMatch } = compileGlob(pattern);
  expect(matching.filter((target) => matches(target, kind))).toEqual(matching);
  expect(others.filter((target) => matches(target, kind))).toEqual([]);
  expect(matching.filter((target) => mayMatch(target, kind))).toEqual(matching);
});

test.each([
  ["/**/.env", "/.env"],
  ["/repo/secret*/**", "/repo/secrets"],
])("%s takes `**` for none where it forbids, and for one at least where it allows", (pattern, target) => {
  expect(compileGlob(pattern).mayMatch(target, "path")).toBe(true);
  expect(compileGlob(pattern).matches(target, "path")).toBe(false);
  const below = target.replace("/", "/a/").concat(pattern.endsWith("**") ? "/b" : "");
  expect(compileGlob(pattern.replace("/repo", "/a/repo")).matches(below, "path")).toBe(true);
});

test("a path that is not canonical is covered by nothing and may be anything", () => {
  for (const path of ["/repo/../etc", "/repo/./a", "/repo//a", "/repo/a/", "../repo", "/repo/a/.."]) {
    expect(compileGlob("/repo/**").matches(path, "path")).toBe(false);
    expect(compileGlob("/other").mayMatch(path, "path")).toBe(true);
  }
});

test("a target that is a pattern is covered only whole, and forbidden wherever it might be", () => {
  const { matches } = compileGlob("/repo/**");
  const inside = ["/repo/**", "/repo/a/*", "/repo/{a,b}.ts", "/repo/?", "/repo/*/**/x"];
  expect(inside.filter((target) => matches(target, "path"))).toEqual(inside);
  const beyond = ["/**", "/repo*", "/repo/.*", "/repo/{a,..}/b", "/{repo,etc}/a", "/repo/{.,a}{.,b}/c"];
  expect(beyond.filter((target) => matches(target, "path"))).toEqual([]);
  expect(compileGlob("/repo/*").matches("/repo/**", "path")).toBe(false);
  expect(compileGlob("/repo/a?").matches("/repo/a*", "path")).toBe(false);

  const { mayMatch } = compileGlob("/repo/secret/**");
  const meeting = ["/repo/**", "/**", "/repo/secret/a*", "/repo/{a,secret}/b", "/repo/s*", "/x/.*/repo"];
  expect(meeting.filter((target) => mayMatch(target, "path"))).toEqual(meeting);
  const apart = ["/other/**", "/repo/*.ts", "/repo/{a,b}/secret"];
  expect(apart.filter((target) => mayMatch(target, "path"))).toEqual([]);
  expect(compileGlob("**/.env").mayMatch("/repo/src/*.ts", "path")).toBe(false);
  expect(compileGlob("**/.env").mayMatch("/repo/src/*", "path")).toBe(true);
});

test("what is too long or has too many alternatives is covered by nothing and may be anything", () => {
  const wide = compileGlob("{a,b}".repeat(9));
  expect(wide.matches("a".repeat(9), "text")).toBe(false);
  expect(wide.mayMatch("x", "text")).toBe(true);
  const long = compileGlob(`/${"a".repeat(2_000)}`);
  expect(long.matches(`/${"a".repeat(2_000)}`, "command")).toBe(false);
  expect(long.mayMatch("/b", "path")).toBe(true);
  const { matches, mayMatch } = compileGlob("/a/**");
  expect(matches(`/a/${"b".repeat(4_096)}`, "path")).toBe(false);
  expect(mayMatch(`/b/${"b".repeat(4_096)}`, "path")).toBe(true);
  expect(matches(`/a/${"{a,b}".repeat(9)}`, "path")).toBe(false);
  expect(mayMatch(`/b/${"{a,b}".repeat(9)}`, "path")).toBe(true);
});

test("neither a hostile pattern nor a hostile target takes long", () => {
  const started = performance.now();
  const pattern = compileGlob(`/**/${"a*".repeat(50)}/**/${"a/**/".repeat(200)}*.pem`);
  expect(pattern.matches(`/${"a/".repeat(2_000)}x`, "path")).toBe(false);
  expect(compileGlob(`${"*a".repeat(900)}b`).matches("a".repeat(60_000), "text")).toBe(false);
  for (const hostile of ["{", "{,", "*a", "'", "\\'", "?(", "* "]) {
    const target = hostile.repeat(60_000 / hostile.length);
    for (const kind of ["path", "command", "text"] as const) {
      compileGlob("*b*/**/*c").matches(target.slice(0, kind === "path" ? 4_000 : undefined), kind);
      compileGlob("*b*/**/*c").mayMatch(target.slice(0, kind === "path" ? 4_000 : undefined), kind);
    }
  }
  expect(performance.now() - started).toBeLessThan(60_000);
});

const piece = fc.constantFrom("a", "b", ".", "*", "?", "-");
const part = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
const segment = fc.oneof({ weight: 3, arbitrary: part }, { weight: 1, arbitrary: fc.constant("**") });
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`);

const fill = fc.constantFrom("", "a", "b", "ab", "b.a");

/** One of the texts and one of the paths that a pattern stands for. */
function instancesOf(pattern: string, one: string, other: string): { text: string; path: string } {
  const filled = (text: string) => text.replaceAll("*", one).replaceAll("?", other[0] ?? "b");
  const folders = one === "" ? [] : [one, other].filter((name) => name !== "");
  const segments = pattern.split("/").flatMap((name) => (name === "**" ? folders : [filled(name)]));
  return { text: filled(pattern), path: segments.join("/") || "/" };
}

test("what covers a pattern covers what it stands for, and what grips that may grip the pattern", () => {
  let covered = 0;
  let gripped = 0;
  fc.assert(
    fc.property(path, path, fill, fill, (pattern, target, first, second) => {
      const { matches, mayMatch } = compileGlob(pattern);
      const instances = instancesOf(target, first, second);
      // No shell puts such a name in the place of a wildcard.
      const isPath = !instances.path.split("/").some((name, at) => at > 0 && /^\.{0,2}$/.test(name));
      for (const kind of isPath ? (["path", "text"] as const) : (["text"] as const)) {
        const isCovered = pattern !== target && matches(target, kind);
        const isGripped = matches(instances[kind], kind);
        covered += Number(isCovered);
        gripped += Number(isGripped);
        if (isCovered) expect(isGripped).toBe(true);
        if (isGripped) expect(mayMatch(target, kind)).toBe(true);
      }
    }),
    { numRuns: 20_000 },
  );
  expect(Math.min(covered, gripped)).toBeGreaterThan(100);
});

test("a pattern of a shell stands for no name that begins with a dot, unless it says so", () => {
  const mayMatch = (pattern: string, target: string) => [
    compileGlob(pattern).mayMatch(target, "path"),
    compileGlob(pattern).mayMatch(target, "visible"),
  ];
  for (const target of ["/ws/packages/*/dist", "/ws/?ash/dist", "/ws/*keep/x", "/ws/?*/x"])
    expect(mayMatch("**/.?*/**", target), target).toEqual([true, false]);
  for (const target of ["/ws/.t*/dist", "/ws/**", "/ws/**/dist", "/ws/*/.toolkeep/x"])
    expect(mayMatch("**/.toolkeep/**", target), target).toEqual([true, true]);
  expect(mayMatch("/ws/packages/*/dist/**", "/ws/packages/*/dist")).toEqual([true, true]);
  expect(mayMatch("/ws/**/secret*", "/ws/*/*.pem")).toEqual([true, true]);
});
