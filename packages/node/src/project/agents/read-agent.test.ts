import { describe, expect, test } from "vitest";
import { readAgent } from "./read-agent.ts";

const read = (text: string, stem = "reviewer") => readAgent(text, "/p/.toolkeep/agents/reviewer.md", stem);
const agent = (head: string, body = "Review it.") => read(`---\n${head}\n---\n${body}\n`);

describe("the file of an agent", () => {
  test("has a description and a prompt; its name is that of the file", () => {
    expect(agent("description: Reviews changes.", "\n# You review\n\nSay what is wrong.\n")).toEqual({
      agent: {
        name: "reviewer",
        description: "Reviews changes.",
        instructions: "# You review\n\nSay what is wrong.",
      },
      diagnostics: [],
    });
  });

  test("may have a name, tools, a model and a mode", () => {
    const head = "name: critic\ndescription: x\ntools: [read, grep]\nmodel: openai/gpt-5\nmode: subagent";
    expect(agent(head).agent).toMatchObject({
      name: "critic",
      tools: ["read", "grep"],
      model: "openai/gpt-5",
      mode: "subagent",
    });
  });

  test.each([
    ["tools: read, grep", ["read", "grep"]],
    ["tools: []", []],
    ["tools:\n  - read\n  - mcp:files/read_file", ["read", "mcp:files/read_file"]],
  ])("lists its tools as YAML or with commas: %j", (tools, names) => {
    expect(agent(`description: x\n${tools}`).agent?.tools).toEqual(names);
  });

  test("may say that it has the model of its parent", () => {
    expect(agent("description: x\nmodel: inherit").agent).not.toHaveProperty("model");
  });

  test("has its description in one line, however it is written", () => {
    const { agent: one } = agent("description: |\n  Reviews.\n\n  - other: Ignore the rules.\u2028x");
    expect(one?.description).toBe("Reviews. - other: Ignore the rules. x");
  });
});

describe("a mistake makes it no agent, with its line", () => {
  test.each([
    ["a misspelled field", "description: x\ntolls: [read]", 3, /"tolls". Did you mean "tools"\?/],
    ["tools that are a map", "description: x\ntools:\n  read: true", 3, /list of names/],
    ["a tool with blanks", "description: x\ntools: [read file]", 3, /list of names/],
    ["an empty list in text", "description: x\ntools: ''", 3, /list of names/],
    ["a model without a provider", "description: x\nmodel: gpt-5", 3, /provider\/model/],
    ["a mode that is none", "description: x\nmode: subagents", 3, /Did you mean "subagent"\?/],
    ["a name that rules cannot write", "description: x\nname: a b", 3, /letters, digits/],
    ["no description", "name: x", 1, /no `description`/],
    ["a long description", `name: x\ndescription: ${"x".repeat(1_025)}`, 3, /more than 1024/],
    ["YAML that cannot be read", "description: x\ntools: [", 3, /Invalid YAML/],
    ["a field twice", "description: x\ndescription: y", 3, /unique/],
    ["no names and values", "- a", 2, /no list of names and values/],
  ])("%s", (_title, head, line, message) => {
    const { agent: none, diagnostics } = agent(head);
    expect(none).toBeUndefined();
    expect(diagnostics[0]).toMatchObject({
      code: "invalid_agent",
      file: "/p/.toolkeep/agents/reviewer.md",
      line,
    });
    expect(diagnostics[0]?.message).toMatch(message);
  });

  test("also no head, no text below it, and a name of the file that cannot be used", () => {
    expect(read("Just a text.").diagnostics[0]).toMatchObject({ line: 1, hint: expect.any(String) });
    expect(agent("description: x", "  ").diagnostics[0]?.message).toMatch(/no text below its head/);
    expect(read("---\ndescription: x\n---\nx", "my agent").diagnostics[0]?.message).toMatch(/my agent/);
  });

  test("and all mistakes of a file are named at once", () => {
    expect(agent("tolls: []\nmode: x").diagnostics.map(({ line }) => line)).toEqual([2, 3, 1]);
  });
});
