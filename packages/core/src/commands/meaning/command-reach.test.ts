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
  "sed -i s/DEBUG=0/DEBUG=1/ a",
  "sed -i.bak s/a/b/ x",
  "awk NR==1 a",
  "tee out",
  "timeout 5 curl a.test",
  "rm -rf x",
  "tsc --noEmit",
  "git log --remotes --exclude=x",
  "nproc",
  "free -m",
  "export REGION=eu",
  "ss -ltn",
  "crontab -l",
  "zcat a.gz",
  "tar czf a.tgz logs",
  "awk -F: {s+=$2}END{print(s||0)} a",
  "find . -type d -exec rm -rf {} +",
  "go env GOPATH",
  "ip -br addr show",
  "command -v node",
  "curl -s localhost:3000/x",
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
  "sed -i s/a/b/e x",
  "awk BEGIN{system(0)} a",
  "awk {print|$1} a",
  "awk -f x a",
  "gawk @load(x) a",
  "tar -I./x -cf a b",
  "tar cIf x a b",
  "tar xf host:a",
  "tar xf a --to-command=x",
  "crontab x",
  "go env -w A=b",
  "ip -b x",
  "fd -x y",
  "command -p x",
  "env -S x",
  "bash -c x",
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

test("of a program that may leave it is told whether it is known", () => {
  for (const line of ["unknown-program", "./bin/api", "constructor"])
    expect(reachOf(line.split(" ")), line).toMatchObject({ leaves: true, isUnknown: true });
  for (const line of ["git push", "npm test", "make lint", "pytest", "tar -I./x -cf a b", "curl a.test"])
    expect(reachOf(line.split(" ")), line).not.toHaveProperty("isUnknown");
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
