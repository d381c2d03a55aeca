import { expect, test } from "vitest";
import { isPassed, passedVariables } from "./passed-variables.ts";

test.each([
  ["PGURL", "postgres://ada@127.0.0.1/shop"],
  ["PYTHONPATH", "."],
  ["GIT_AUTHOR_NAME", "Ada"],
  ["DJANGO_SETTINGS_MODULE", "shop.settings"],
  ["TERM", "xterm"],
])("a contained command gets %s as the client has it", (name, value) => {
  expect(isPassed(name, value)).toBe(true);
});

test.each([
  ["GITHUB_TOKEN", "x"],
  ["STRIPE_API_KEY", "x"],
  ["PAYMENT", `sk_live_${"a1B2c3D4e5F6g7H8".repeat(2)}`],
  ["DATABASE_URL", "postgres://ada:pw@db.example/shop"],
  ["SSH_AUTH_SOCK", "/run/user/1000/agent"],
  ["XDG_RUNTIME_DIR", "/run/user/1000"],
  ["http_proxy", "http://127.0.0.1:3128"],
  ["LD_PRELOAD", "/tmp/x.so"],
  ["a name", "x"],
])("a contained command does not get %s", (name, value) => {
  expect(isPassed(name, value)).toBe(false);
});

test("names of variables that are passed are listed", () => {
  expect(passedVariables({ PYTHONPATH: ".", NPM_TOKEN: "x", EMPTY: undefined })).toEqual(["PYTHONPATH"]);
});
