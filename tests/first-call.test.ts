import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test("a first call with a plain schema does not load the engine; the first that does not fit does", () => {
  const program = `
    import { Module } from "node:module";
    import { createSession, defineTool } from "@toolkeep/core";
    const isLoaded = () => Object.keys(Module._cache).some((file) => file.includes("/ajv/"));
    const inputSchema = { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false };
    const tool = defineTool({ name: "t", description: "d", mode: "read", requires: {}, inputSchema, execute: () => "done" });
    const session = await createSession({ tools: [tool], policy: [{ permission: "*", action: "allow" }] });
    const call = (id, args) => session.call({ id, name: "t", arguments: args });
    const said = [(await call("a", { n: 1 })).ok, isLoaded(), (await call("b", { n: "1" })).ok, isLoaded()];
    console.log(JSON.stringify(said));`;
  const args = ["--conditions=@toolkeep/source", "--no-warnings", "--input-type=module", "-e", program];
  const output = execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" });
  expect(JSON.parse(output)).toEqual([true, false, false, true]);
});
