import { expect, test } from "vitest";
import { commandPrefix } from "./command-prefix.ts";

function prefix(line: string): string | undefined {
  return commandPrefix(line.split(" "))?.join(" ");
}

test.each([
  ["git status -sb", "git status"],
  ["git stash list --oneline", "git stash list"],
  ["npm run lint -- x", "npm run lint"],
  ["npm test", "npm test"],
  ["ls -la", "ls"],
  ["find . -name x", "find"],
  ["docker compose up -d", "docker compose up"],
  ["cargo test -p x", "cargo test"],
  ["gh pr view 7", "gh pr view"],
  ["make test -j4", "make test"],
])("%s is a kind of %s", (line, expected) => {
  expect(prefix(line)).toBe(expected);
});

test.each([
  "python script.py x",
  "bash -c ls",
  "node x.js y",
  "sudo ls -la",
  "env A=b ls",
  "xargs rm -f",
  "ssh host ls",
  "npx tsc --noEmit",
  "npm exec x y",
  "npm install x",
  "docker run x y",
  "docker compose exec web sh",
  "git -c a=b log",
  "git config a b",
  "git stash -u",
  "go run x",
  "make SHELL=x test",
  "sed -n p a",
  "rm -rf x",
  "unknown-program x y",
  "constructor x",
])("%s is of no kind that a rule could be made of", (line) => {
  expect(prefix(line)).toBeUndefined();
});
