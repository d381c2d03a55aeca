import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { POST } from "./readme-snippet.test.kit.ts";

test("the code in the README compiles and loads", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const file = readFileSync(new URL("./readme-snippet.test.kit.ts", import.meta.url), "utf8");
  expect(/```ts\n([\s\S]*?)```/.exec(readme)?.[1]).toBe(file.replace("../index.ts", "@toolkeep/ai"));
  expect(POST).toBeTypeOf("function");
});
