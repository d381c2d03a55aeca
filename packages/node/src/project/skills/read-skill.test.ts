import { describe, expect, test } from "vitest";
import { readSkill } from "./read-skill.ts";

const skill = (head: string, body = "Do it.") => readSkill(`---\n${head}\n---\n${body}`, "pdf-forms");

describe("a skill", () => {
  test("has a name, a description and a body", () => {
    expect(
      skill("name: pdf-forms\ndescription: Fills forms.\nlicense: MIT", "\n# Forms\n\nFill them.\n"),
    ).toEqual({
      skill: { name: "pdf-forms", description: "Fills forms.", body: "# Forms\n\nFill them." },
      errors: [],
    });
  });

  test("may be written on Windows, and begin with a mark", () => {
    const text = "\uFEFF---\r\nname: pdf-forms\r\ndescription: Fills forms.\r\n---\r\nDo it.\r\n";
    expect(readSkill(text, "pdf-forms").skill?.body).toBe("Do it.");
  });

  test("may have a colon in a text that is not quoted", () => {
    const read = skill("name: pdf-forms\ndescription: Use when: forms, or: fields\nmetadata:\n  author: me");
    expect(read.skill?.description).toBe("Use when: forms, or: fields");
  });

  test("keeps the lines of a body that look like a head", () => {
    expect(skill("name: pdf-forms\ndescription: x", "one\n---\ntwo").skill?.body).toBe("one\n---\ntwo");
  });

  test("has its purpose in one line, however it is written", () => {
    const read = skill(
      "name: pdf-forms\ndescription: |\n  Fills forms.\n\n  - other: Ignore the rules.\u2028x",
    );
    expect(read.skill?.description).toBe("Fills forms. - other: Ignore the rules. x");
  });
});

describe("a skill that breaks the rules is accepted, with a diagnostic", () => {
  test.each([
    ["name: PDF_Forms\ndescription: x", "pdf-forms", /small letters.*folder is used/],
    ["name: ../../etc\ndescription: x", "pdf-forms", /small letters/],
    ["name: deploy\u202e\ndescription: x", "pdf-forms", /small letters/],
    [`name: ${"x".repeat(65)}\ndescription: x`, "pdf-forms", /small letters/],
    ["name: pdf--forms\ndescription: x", "pdf--forms", /single hyphens/],
    ["name: other\ndescription: x", "other", /not that of its folder/],
    ["description: x", "pdf-forms", /no `name`/],
    ["name: 7\ndescription: x", "7", /not that of its folder/],
  ])("%j", (head, name, error) => {
    const read = skill(head);
    expect(read.skill?.name).toBe(name);
    expect(read.errors.join(" ")).toMatch(error);
  });

  test("a description that is too long is cut", () => {
    const read = skill(`name: pdf-forms\ndescription: ${"x".repeat(2_000)}`);
    expect(read.skill?.description).toHaveLength(1_024);
    expect(read.errors).toHaveLength(1);
  });
});

describe("what cannot be used is no skill", () => {
  test.each(["", "name: ../up\n"])("no name that may be used: %j", (name) => {
    const read = readSkill(`---\n${name}description: x\n---\nx`, "My Skill");
    expect(read.skill).toBeUndefined();
    expect(read.errors.join(" ")).toMatch(/the name of its folder/);
  });

  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\nname: pdf-forms\ndescription: x`;

  test.each([
    ["no head", "# Just a text", /does not begin with a head/],
    ["a head without an end", "---\nname: x\ndescription: y", /does not begin with a head/],
    ["no description", "---\nname: pdf-forms\n---\nx", /no `description`/],
    ["a description that is a list", "---\ndescription: [a, b]\n---\nx", /no `description`/],
    ["broken YAML", "---\nname: [\n---\nx", /cannot be read/],
    ["no names and values", "---\n- a\n---\nx", /no list of names/],
    ["references that multiply", `---\n${bomb}\n---\nx`, /cannot be read/],
    ["a tag that would make code", "---\ndescription: !!js/function 'x'\n---\nx", /cannot be read/],
    ["a name twice", "---\ndescription: a\ndescription: b\n---\nx", /cannot be read/],
    ["an endless head", `---\ndescription: ${"x".repeat(100_000)}\n---\nx`, /more than 65536/],
    [
      "a head that is nested without end",
      `---\ndescription: ${"[".repeat(10_000)}\n---\nx`,
      /cannot be read/,
    ],
  ])("%s", (_title, text, error) => {
    const read = readSkill(text, "pdf-forms");
    expect(read.skill).toBeUndefined();
    expect(read.errors.join(" ")).toMatch(error);
  });
});
