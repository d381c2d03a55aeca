import { expect, it } from "vitest";
import { isHarmlessSed, openedAsSed } from "./sed-script.ts";

it.each([
  "10,20p",
  "1,5p;10q",
  "$p",
  "$!N;P;D",
  "/^#/d; s/a/b/g",
  "/a/,/b/{ s/x/y/; p }",
  "s/[^a-z]*//2gI",
  "s|/usr/[^/]*/bin|x|",
  String.raw`s/[^\/]*\///`,
  String.raw`\,^/etc,d`,
  "0~3d",
  "/a/,+3p",
  "/a/I,$!d",
  "y/abc/xyz/",
  ":a;N;$!ba;s/\\n/ /g",
  "/x/a\\  a new line; w out",
  "1i\\\nfirst\n2p",
  "# a comment\np",
  "/start/,/end/ { /start/n; /end/!d }",
  "s/[[:space:]]*$//",
  "s/[]]/x/",
  "/x/ c changed",
  "s/a/b/;ta;s/c/d/",
  "n;d",
  "s#a#b#",
])("proves %s", (script) => {
  expect(isHarmlessSed(script)).toBe(true);
});

it.each([
  "",
  "w out",
  "p;w out",
  "1,3w out",
  "s/a/b/w out",
  "s/a/b/gw out",
  "s/a/b/e",
  "s/a/b/ge",
  "e id",
  "1e",
  "r /etc/passwd",
  "R x",
  "W x",
  "/a/{w out\n}",
  "{p;w out",
  "y/a/b/w out",
  "s/[/]w out/x/",
  "s/[/]/w out;s/]/x/",
  String.raw`s/[\]/]/w out/`,
  "s/a/b",
  "1,w out",
  "1,3!w out",
  "a\\\ntext\nw out",
  "i text\nw out",
  "# comment\nw out",
  ":a\nw out",
  "ba\nw out",
  ":a w out",
  "p w out",
  "pw out",
  "s/a/b\n/;w out",
  "F;v;w x",
  "s a b w x ",
  "M",
])("does not prove %j", (script) => {
  expect(isHarmlessSed(script)).toBe(false);
});

it("names what a file would open as a script", () => {
  expect(openedAsSed("web.ts")).toEqual({ reads: [], writes: ["eb.ts"] });
  expect(openedAsSed("src/a.ts")).toEqual({ reads: [], writes: [] });
  expect(openedAsSed("1r/etc/passwd")).toEqual({ reads: ["/etc/passwd"], writes: [] });
  expect(openedAsSed("s/a/b/w/etc/x")).toBe(undefined);
  expect(openedAsSed("p;w x")).toBe(undefined);
});
