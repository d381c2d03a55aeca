import { ruleError } from "@toolkeep/core/internal";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../terminal/command-error.ts";
import { headlessGrants } from "./headless-grants.ts";

describe("the rules of --allow", () => {
  test.each(["github_get_issue", "mcp:github:get_issue", "mcp:github:get_*", "mcp:docs:*"])(
    "%s becomes a rule that every deny overrides",
    (permission) => {
      const [rule] = headlessGrants([permission]);
      expect(rule).toMatchObject({ permission, action: "allow", scope: "session", yieldsToDeny: true });
      expect(rule === undefined ? "none" : ruleError(rule)).toBeUndefined();
    },
  );

  test.each(["*", "**", "mcp:*", "mcp:*:*", "mcp:*:get_issue", "?*"])("%s matches too much", (permission) => {
    expect(() => headlessGrants([permission])).toThrow(expect.objectContaining({ exit: EXIT.usage }));
  });

  test.each(["fs.write", "fs.*", "", "mcp:github", "a b", "get_*"])("%j names no tool", (permission) => {
    expect(() => headlessGrants([permission])).toThrow(expect.objectContaining({ exit: EXIT.usage }));
  });
});
