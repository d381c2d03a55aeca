import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitArgs } from "./split-args.ts";

describe("identifiers", () => {
  test.each([
    ["getUserProfile", ["get", "user", "profile"]],
    ["get_user-profile.v2", ["get", "user", "profile", "v", "2"]],
    ["parseHTMLDocument", ["parse", "html", "document"]],
    ["mcp__github__create_issue", ["mcp", "github", "create", "issue"]],
    ["UPPER_CASE", ["upper", "case"]],
    ["PDF&URLTool", ["pdf", "url", "tool"]],
    ["base64Encode", ["base", "64", "encode"]],
  ])("%s is taken apart where its parts meet", (text, words) => {
    expect(splitArgs(text).words).toEqual(words);
  });

  test("a short one is kept whole as well, so that GitHub is found as github and S3 as s3", () => {
    expect(splitArgs("GitHub, S3, OAuth2 and getUserProfileById").wholes).toEqual(["github", "s3", "oauth2"]);
  });

  test("a word that has no parts is not given twice", () => {
    expect(splitArgs("Weather in PARIS 2026")).toEqual({
      words: ["weather", "in", "paris", "2026"],
      wholes: [],
      characters: [],
    });
  });
});

describe("other scripts", () => {
  test("marks and width make no difference", () => {
    expect(splitArgs("Café ＡＰＩ naïve").words).toEqual(["cafe", "api", "naive"]);
  });

  test("what is written without spaces comes in pairs, and its characters one by one", () => {
    expect(splitArgs("天气预报")).toEqual({
      words: ["天气", "气预", "预报"],
      wholes: [],
      characters: ["天", "气", "预", "报"],
    });
    expect(splitArgs("サーバー").words).toEqual(["サー", "ーバ", "バー"]);
  });

  test("a single character is a word, and Latin letters between characters stay together", () => {
    expect(splitArgs("发PDF给猫").words).toEqual(["发", "pdf", "给猫"]);
  });

  test("Cyrillic identifiers are taken apart too", () => {
    expect(splitArgs("найтиФайл").words).toEqual(["наити", "фаил"]);
  });
});

describe("hostile texts", () => {
  test("a key or a hash is left out", () => {
    expect(splitArgs(`token ${"a".repeat(41)} end`).words).toEqual(["token", "end"]);
  });

  test("half a surrogate pair, controls and no text at all are borne", () => {
    expect(splitArgs("a\ud800b \0 \u202e c").words).toEqual(["a", "b", "c"]);
    expect(splitArgs("").words).toEqual([]);
  });

  test("no word is ever empty, in upper case or without bound", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const { words, wholes } = splitArgs(text);
        for (const word of [...words, ...wholes]) {
          expect(word.length).toBeGreaterThan(0);
          // Lower case can be longer than upper case, but only in a few letters.
          expect(word.length).toBeLessThanOrEqual(80);
          expect(word).toBe(word.toLowerCase());
        }
      }),
    );
  });
});
