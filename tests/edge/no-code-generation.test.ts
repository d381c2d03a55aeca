import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { EXPECTED } from "./edge-calls.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "print-edge-calls.ts");

test.each([[[]], [["--disallow-code-generation-from-strings"]]])(
  "tools with JSON Schemas run where no code may be generated from text, with the same results: node %j",
  async (flags) => {
    const { stdout } = await run(process.execPath, ["--conditions=@toolkeep/source", ...flags, program]);
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
  },
);
