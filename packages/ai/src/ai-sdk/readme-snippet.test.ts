import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { POST } from "./readme-snippet.test.kit.ts";

const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const blocksIn = (text: string) => [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);

test("the code in the README compiles and loads", () => {
  const file = textOf("./readme-snippet.test.kit.ts").replace("../index.ts", "@toolkeep/ai");
  expect(blocksIn(textOf("../../README.md"))[0]).toBe(file);
  expect(POST).toBeTypeOf("function");
});

test("the documentation of `govern` shows the code that the tests run", () => {
  const run = /\{\n( {2}const \{ tools[\s\S]*?) {2}return result;/.exec(
    textOf("./quick-start.test.kit.ts"),
  )?.[1];
  const code = run?.replaceAll(/^ {2}/gm, "") ?? "";
  expect(code).toContain("await govern(myTools, {");
  const documented = textOf("./govern.ts").replaceAll(/^ \* /gm, "");
  expect(documented).toContain(`@example\n${code} */\nexport async function govern`);
});
