import { describe, expect, test } from "vitest";
import { createToolIndex, type ToolIndex } from "./create-tool-index.ts";
import type { ToolEntry } from "./tool-entry.ts";

describe("ranking", () => {
  const index = createToolIndex([
    tool("getWeather", "Retrieve the current weather of a city", { parameters: "city The name of the city" }),
    tool("send_email", "Send a message to one or more people", { parameters: "to subject body" }),
    tool("create_issue", "Open a new issue in a repository", { parameters: "title body", server: "GitHub" }),
    tool("list_files", "List the files of a folder", { parameters: "path The folder to list" }),
    tool("exportchat", "Save the conversation as a document"),
    tool("天气查询", "查询城市的天气预报"),
  ]);

  test("a query finds a tool by its name in any notation", () => {
    for (const query of ["get weather", "getWeather", "GET_WEATHER", "weather-get"]) {
      expect(found(index, query)[0], query).toBe("getWeather");
    }
  });

  test("a query finds a tool by its description, its parameters and its server", () => {
    expect(found(index, "what is the current weather like?")[0]).toBe("getWeather");
    expect(found(index, "subject")).toEqual(["send_email"]);
    expect(found(index, "github")).toEqual(["create_issue"]);
  });

  test("inflected words and words written separately are found", () => {
    expect(found(index, "issues in repositories")[0]).toBe("create_issue");
    expect(found(index, "export chat")).toEqual(["exportchat"]);
  });

  test("a name weighs more than a description, and a description more than parameters", () => {
    const three = createToolIndex([
      tool("alpha", "one two three", { parameters: "invoice four" }),
      tool("beta", "one invoice three", { parameters: "two four" }),
      tool("invoice", "one two three", { parameters: "five four" }),
    ]);
    expect(found(three, "invoice")).toEqual(["invoice", "beta", "alpha"]);
  });

  test("a rare word weighs more than a common one", () => {
    const many = Array.from({ length: 20 }, (_, at) => tool(`report${at}`, "Make a report"));
    const index = createToolIndex([...many, tool("tax", "Tax forms")]);
    expect(found(index, "report tax")[0]).toBe("tax");
  });

  test("two sentences about two tools find both, even if one sentence is longer", () => {
    const fillers = Array.from({ length: 100 }, (_, at) => tool(`filler_${at}`, "Something else"));
    const index = createToolIndex([
      ...fillers,
      tool("track_parcel", "Where a parcel is, its carrier and its delivery address"),
      tool("parcel_carrier", "Who brings it"),
      tool("forecast", "Sunshine, rain, wind, snow, pressure, humidity and weather"),
    ]);
    const parcel = "Track my parcel and tell me its carrier and its delivery address";
    expect(found(index, parcel, 2)).toEqual(["track_parcel", "parcel_carrier"]);
    expect(found(index, `${parcel}, and the weather`, 2)).toEqual(["track_parcel", "parcel_carrier"]);
    expect(found(index, `${parcel}. And the weather?`, 2)).toContain("forecast");
  });

  test("Chinese is found by a word inside a sentence, and by a single character", () => {
    expect(found(index, "明天的天气怎么样")).toEqual(["天气查询"]);
    expect(found(index, "城")).toEqual(["天气查询"]);
  });

  test("a query without a matching word finds nothing, nor does an empty query", () => {
    for (const query of ["zebra", "", "   ", "?!", "…"]) expect(found(index, query), query).toEqual([]);
  });

  test("a tool whose name or id equals the query comes first, whatever the descriptions of others say", () => {
    const index = createToolIndex([
      tool("read", "Look at a file in the workspace, with line numbers and much else besides"),
      tool("read_read", "Read read read all all all", { id: "other" }),
      tool("everything", "Read", { id: "fs_read_all" }),
      tool("use", "Do", { id: "mcp_use" }),
    ]);
    expect(found(index, "Read")[0]).toBe("read");
    expect(found(index, "fs_read_all")[0]).toBe("fs_read_all");
    expect(found(index, "use")[0]).toBe("mcp_use");
  });

  test("a word that almost every tool contains still finds tools if it is the only one", () => {
    const many = Array.from({ length: 3_000 }, (_, at) => tool(`get_${at}`, "Get a thing"));
    const index = createToolIndex([...many, tool("stop", "Halt a thing")]);
    expect(found(index, "get thing", 3)).toEqual(["get_0", "get_1", "get_10"]);
    expect(found(index, "stop getting things", 1)).toEqual(["stop"]);
  });
});

describe("limits", () => {
  const index = createToolIndex(Array.from({ length: 150 }, (_, at) => tool(`tool_${at}`, "The same words")));

  test("returns at most the requested number, and never more than 100", () => {
    expect(index.search("words", 7)).toHaveLength(7);
    expect(index.search("words", 2.9)).toHaveLength(2);
    expect(index.search("words", 1e9)).toHaveLength(100);
    for (const limit of [0, -1, Number.NaN]) expect(index.search("words", limit)).toEqual([]);
  });

  test("equal scores are ordered by name, then by id", () => {
    const names = index.search("words", 100).map(({ id }) => id);
    expect(names).toEqual(names.toSorted());
    const twins = ["b", "a", "c"].map((id) => tool("twin", "Same", { id }));
    expect(found(createToolIndex(twins), "twin")).toEqual(["a", "b", "c"]);
  });
});

function tool(name: string, description: string, more: Partial<ToolEntry> = {}): ToolEntry {
  return { id: name, name, description, parameters: "", ...more };
}

function found(index: ToolIndex, query: string, limit = 5): readonly string[] {
  return index.search(query, limit).map(({ id }) => id);
}
