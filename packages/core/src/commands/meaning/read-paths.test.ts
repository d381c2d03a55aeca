import { expect, test } from "vitest";
import { readPaths } from "./read-paths.ts";

test.each(["shell.run", "shell.dynamic"])("the last of many words of %s is looked at too", (capability) => {
  const words = Array.from({ length: 1_500 }, (_, index) => `a${index}`);
  const target = `cat ${words.join(" ")} customers/list.csv`;
  const effects = [{ capability, target, known: "inferred" as const }];
  const paths = [...readPaths(effects, ["/repo"])].map(({ path }) => path);
  expect(paths).toContain("/repo/a0");
  expect(paths).toContain("/repo/customers/list.csv");
});
