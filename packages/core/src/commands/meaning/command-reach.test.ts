import { expect, test } from "vitest";
import { reachOf } from "./command-reach.ts";

function reach(line: string): string {
  const { leaves, brings } = reachOf(line.split(" "));
  return `${leaves ? "leaves" : "stays"}${brings ? " and brings" : ""}`;
}

test.each([
  "ls -la",
  "/usr/bin/cat a",
  "find . -name x",
  "git status",
  "git --no-pager log",
  "git -C x commit -m https://a.test",
  "grep -r https://a.test src",
  "sed -n 1,5p a",
  "awk NR==1 a",
  "tee out",
  "timeout 5 curl a.test",
  "rm -rf x",
  "tsc --noEmit",
  "git log --remotes --exclude=x",
])("%s stays here", (line) => {
  expect(reach(line)).toBe("stays");
});

test.each([
  "npm test",
  "node x.js",
  "./ls",
  "unknown-program",
  "find . -exec x ;",
  "rg --pre x y",
  "sort --compress-program=x a",
  "sed 1e a",
  "awk BEGIN{system(0)} a",
  "git push",
  "git -c core.pager=x log",
  "git rebase --ex x",
  "git grep -O x",
  "npx tsc",
  "python -m unittest",
  "constructor",
])("%s may leave", (line) => {
  expect(reach(line)).toBe("leaves");
});

test.each([
  "curl a.test",
  "/usr/bin/wget a.test",
  "git clone x",
  "git -C x pull",
  "npm --prefix x i",
  "yarn",
  "pip install x",
  "python3 -m pip install x",
  "cargo add x",
  "go get x",
  "gh pr view",
  "npx unknown-program",
  "node x.js https://a.test",
])("%s brings something in", (line) => {
  expect(reach(line)).toBe("leaves and brings");
});
