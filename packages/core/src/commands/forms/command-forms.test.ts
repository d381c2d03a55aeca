import { expect, test } from "vitest";
import { formsOf } from "./command-forms.ts";

function forms(line: string): readonly string[] {
  return formsOf(line.split(" ")).map((form) => form.join(" "));
}

test("a command stands as it is, and by its bare name", () => {
  expect(forms("git push")).toEqual(["git push"]);
  expect(forms("/usr/bin/git push")).toEqual(["/usr/bin/git push", "git push"]);
  expect(forms("./RM x")).toEqual(["./RM x", "rm x"]);
  expect(formsOf([])).toEqual([[]]);
});

test.each([
  ["git -C x push", "git push"],
  ["git -c a=b --git-dir=x --no-pager push origin", "git push origin"],
  ["npm --prefix x publish", "npm publish"],
  ["docker -H host run x", "docker run x"],
  ["kubectl --context=x -n y delete pod", "kubectl delete pod"],
  ["cargo +nightly --locked publish", "cargo publish"],
  ["/usr/bin/git -C x push", "git push"],
  ["/usr/bin/git -C x push", "/usr/bin/git push"],
])("%s is also %s", (line, form) => {
  expect(forms(line)).toContain(form);
});

test("an option that is not known is read both ways", () => {
  expect(forms("npm --unknown-option publish")).toContain("npm publish");
  expect(forms("npm --json --unknown-option x publish")).toContain("npm publish");
});

test("options after the subcommand stay, and so do those of commands without one", () => {
  expect(forms("git push --force")).toEqual(["git push --force"]);
  expect(forms("rm -rf x")).toEqual(["rm -rf x"]);
});

test("nothing but options leaves the name", () => {
  expect(forms("git -C")).toEqual(["git -C", "git"]);
});

test.each([
  ["npm run -s -s -s -s -s -s -s -s -s -s deploy", "npm run deploy"],
  ["npm rum deploy --now", "npm run deploy --now"],
  ["npm -s run-script -w api --if-present deploy", "npm run deploy"],
  ["npm run --unknown x deploy", "npm run deploy"],
  ["npm run --unknown deploy x", "npm run deploy x"],
  ["npm run --a x --b y --c deploy", "npm run deploy"],
  ["npm run -- deploy", "npm run deploy"],
  ["pnpm -r run --filter api deploy", "pnpm run deploy"],
  ["/usr/bin/yarn --cwd x run -T deploy", "yarn run deploy"],
  ["bun --cwd x run --bun deploy", "bun run deploy"],
])("%s is also %s", (line, form) => {
  expect(forms(line)).toContain(form);
});

test("what a script is given is not its name", () => {
  expect(forms("npm run test deploy")).toEqual(["npm run test deploy"]);
  expect(forms("npm run -s test deploy").at(-1)).toBe("npm run test deploy");
  expect(forms("npm run -w deploy test")).toEqual(["npm run -w deploy test", "npm run test"]);
});
