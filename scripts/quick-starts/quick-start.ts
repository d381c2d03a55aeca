import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";

const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** A quick start of the README: its first block in each language. */
export function quickStart(number: number) {
  const text = README.split(/^### /m).find((part) => part.startsWith(`${number}. `)) ?? "";
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)];
  const inLanguage = (language: string) => blocks.find(([, name]) => name === language)?.[2] ?? "";
  return { shell: inLanguage("sh"), yaml: inLanguage("yaml"), code: inLanguage("ts") };
}
