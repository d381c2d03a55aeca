import { expect, test } from "vitest";
import { z } from "zod";
import { fsRead, netFetch } from "../contract/call/effect.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { fakeIo } from "./fake-io.ts";
import { stubTool } from "./stub-tool.ts";
import { toolConformance } from "./tool-conformance.ts";

const resolver = {
  canonicalPath: async (path: string) => path,
  parseCommand: async () => ({ plain: false, reason: "" }) as const,
};

const reader = defineTool({
  name: "head",
  description: "The first line of a file.",
  inputSchema: z.object({ path: z.string() }),
  requires: { fs: { read: ["/repo/**"] } },
  effects: ({ path }) => [fsRead(path)],
  deriveApprovalKey: ({ path }) => path,
  async execute({ path }, { io }) {
    const { bytes } = await io.files.read(path);
    return new TextDecoder().decode(bytes).split("\n")[0];
  },
});

test("a tool that conforms has no errors", async () => {
  const { grantIo } = fakeIo({ files: { "/repo/a": "one\ntwo" } });
  const errors = await toolConformance(reader, {
    grantIo,
    resolver,
    examples: [{ path: "/repo/a" }],
    refuses: [{ path: 3 }],
  });
  expect(errors).toEqual([]);
});

test("[C12] each error is found and named, a key that changes without the arguments among them", async () => {
  let turn = 0;
  const noisy = stubTool("noisy", () => ({ big: 1n }), {
    requires: { net: { hosts: ["a.example"] } },
    effects: () => [netFetch(`b${turn++}.example`)],
    deriveApprovalKey: () => `${turn++}`,
  });
  const errors = await toolConformance(noisy.tool, { resolver, examples: [{}], refuses: [{ any: "thing" }] });
  expect(errors.join("\n")).toMatch(/another key every time/);
  expect(errors.join("\n")).toMatch(/others every time/);
  expect(errors.join("\n")).toMatch(/is not required/);
  expect(errors.join("\n")).toMatch(/was refused/);
  expect(errors.join("\n")).toMatch(/was not refused/);
  const crashing = stubTool("crashing", () => Promise.reject(new Error("x")));
  expect(await toolConformance(crashing.tool, { examples: [{}] })).toEqual([
    "execute({}) threw something that is not a ToolFailure",
  ]);
  const odd = stubTool("odd", () => ({ big: 1n }));
  expect(await toolConformance(odd.tool, { examples: [{}] })).toEqual([
    "execute({}) returned something that is not JSON",
  ]);
  const deaf = stubTool("deaf", () => new Promise(() => {}));
  expect(await toolConformance(deaf.tool, { examples: [], longRunning: {} })).toEqual([
    "no example was given: nothing could be tried",
    "it continued after it was told to stop",
  ]);
});
