import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitWords } from "./split-words.ts";

describe("identifiers", () => {
  test.each([
    ["getUserProfile", ["get", "user", "profile"]],
    ["get_user-profile.v2", ["get", "user", "profile", "v", "2"]],
    ["parseHTMLDocument", ["parse", "html", "document"]],
    ["mcp__github__create_issue", ["mcp", "github", "create", "issue"]],
    ["UPPER_CASE", ["upper", "case"]],
    ["PDF&URLTool", ["pdf", "url", "tool"]],
    ["base64Encode", ["base", "64", "encode"]],
  ])("%s is split between its parts", (text, words) => {
    expect(splitWords(text).words).toEqual(words);
  });

  test("a short identifier is also kept whole, so that GitHub is found as github and S3 as s3", () => {
    expect(splitWords("GitHub, S3, OAuth2 and getUserProfileById").wholes).toEqual([
      "github",
      "s3",
      "oauth2",
    ]);
  });

  test("a word without parts is not returned twice", () => {
    expect(splitWords("Weather in PARIS 2026")).toEqual({
      words: ["weather", "in", "paris", "2026"],
      wholes: [],
      characters: [],
    });
  });
});

describe("other scripts", () => {
  test("diacritics and character width make no difference", () => {
    expect(splitWords("Café ＡＰＩ naïve").words).toEqual(["cafe", "api", "naive"]);
  });

  test("scripts without spaces are split into pairs and single characters", () => {
    expect(splitWords("天气预报")).toEqual({
      words: ["天气", "气预", "预报"],
      wholes: [],
      characters: ["天", "气", "预", "报"],
    });
    expect(splitWords("サーバー").words).toEqual(["サー", "ーバ", "バー"]);
  });

  test("a single character is a word, and Latin letters between characters stay together", () => {
    expect(splitWords("发PDF给猫").words).toEqual(["发", "pdf", "给猫"]);
  });

  test("Cyrillic identifiers are split too", () => {
    expect(splitWords("найтиФайл").words).toEqual(["наити", "фаил"]);
  });
});

describe("hostile texts", () => {
  test("keys and hashes are dropped", () => {
    expect(splitWords(`token ${"a".repeat(41)} end`).words).toEqual(["token", "end"]);
  });

  test("lone surrogates, control characters and the empty text are accepted", () => {
    expect(splitWords("a\ud800b \0 \u202e c").words).toEqual(["a", "b", "c"]);
    expect(splitWords("").words).toEqual([]);
  });

  test("a word is never empty, in upper case or unbounded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const { words, wholes } = splitWords(text);
        for (const word of [...words, ...wholes]) {
          expect(word.length).toBeGreaterThan(0);
          // A few letters become longer in lower case.
          expect(word.length).toBeLessThanOrEqual(80);
          expect(word).toBe(word.toLowerCase());
        }
      }),
    );
  });
});
