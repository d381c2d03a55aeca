import { expect, test } from "vitest";
import { searchedPaths } from "./searched-paths.ts";

test("each place is searched once, and the programs of the system are not", () => {
  const read = ["/w/a", "/usr", "/usr/lib", "/usr/local", "/usr/local/bin", "/usr/share/x", "/x"];
  expect(searchedPaths({ read, write: ["/w", "/w/a/b"], cwd: "/w" })).toEqual(["/x", "/w"]);
});

test.each(["/usr/src/app", "/usr/local/app", "/usr/app", "/usr/share/nginx/html", "/usr/local/lib/app"])(
  "a workspace at %s is searched, for commands that only read too",
  (root) => {
    const cwd = `${root}/src`;
    expect(searchedPaths({ read: ["/usr"], write: [root], cwd })).toEqual([root]);
    expect(searchedPaths({ read: ["/usr", root, "/usr/lib"], write: [], cwd })).toEqual([root]);
  },
);
