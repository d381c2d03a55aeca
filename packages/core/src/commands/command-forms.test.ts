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
