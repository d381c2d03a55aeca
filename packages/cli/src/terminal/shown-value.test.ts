import { expect, test } from "vitest";
import { knownVariables } from "../project/show/show-config.ts";
import { shownValue } from "./shown-value.ts";

test("a value under a name for secrets, and one that looks like a secret, is hidden at any depth", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const shown = JSON.stringify(
    shownValue("web", {
      apiKey: "short",
      nested: { password: "p", list: [{ cookie: "c" }] },
      auth: { user: "ada", code: 1234 },
      note: `use ${token}`,
      depth: 3,
    }),
  );
  for (const secret of ["short", '"p"', '"c"', "ada", "1234", token]) expect(shown).not.toContain(secret);
  expect(shown).toContain('"depth":3');
});

test("variables are shown with what they do, mistyped ones too, and proxies without their password", () => {
  const shown = knownVariables({
    HTTPS_PROXY: "http://ada:pass@proxy.example:8080",
    TOOLKEEP_HOME: "/x",
    TOOLKEEP_CONFG: "/y",
    TOOLKEEP_CONFIG: "",
    OTHER: "z",
  });
  expect(shown.map(({ name }) => name)).toEqual(["HTTPS_PROXY", "TOOLKEEP_CONFG", "TOOLKEEP_HOME"]);
  expect(shown[0]?.value).toBe("… http://proxy.example:8080");
  expect(shown[1]?.meaning).toContain("did you mean TOOLKEEP_CONFIG?");
});
