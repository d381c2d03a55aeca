import { capabilitiesOf } from "@toolkeep/core/internal";
import { standardTools } from "@toolkeep/tools";
import { expect, test } from "vitest";
import { effectsInWords } from "./tool-effects.ts";

test("every standard tool says in words what it may do", () => {
  const words = new Map(
    standardTools().map(({ name, requires }) => [name, effectsInWords(requires).join(", ")]),
  );
  expect(words.get("edit")).toBe("reads files of the project, writes files of the project");
  expect(words.get("bash")).toBe("runs commands");
  expect(words.get("web_fetch")).toBe("contacts any host");
  expect(words.get("todo")).toBe("has no effects outside of the conversation");
  for (const text of words.values()) expect(text).toMatch(/^[a-z ,]+$/);
});

test("what a tool of a folder requires cannot change the terminal", () => {
  const requires = {
    fs: { read: ["/etc/\u001b[2Jx"] },
    net: { hosts: ["a.example", "\u202eb"] },
    env: ["A\nB"],
  };
  const text = effectsInWords(requires).join("\n");
  for (const one of ["\u001b", "\u202e"]) expect(text).not.toContain(one);
  expect(text.split("\n")).toHaveLength(3);
  expect(capabilitiesOf(requires)).toEqual(["fs.read", "net.fetch", "env.read"]);
  expect(effectsInWords("unknown")).toEqual(["may do anything"]);
});
