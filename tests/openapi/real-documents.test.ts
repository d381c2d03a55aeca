import { createRegistry } from "@toolkeep/core";
import { openApiTools } from "@toolkeep/openapi";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { documentPath, REAL_DOCUMENTS } from "./real-documents.ts";

/** Compiling all of gitbook's schemas takes longer than a test may: every so manieth, and in a long check all. */
const EVERY = process.env["TOOLKEEP_LONG"] === undefined ? 8 : 1;

describe.each(Object.keys(REAL_DOCUMENTS) as (keyof typeof REAL_DOCUMENTS)[])(
  "the document of %s",
  (name) => {
    test("[C114] gives a tool for each operation, all of which register and compile", async () => {
      const set = await openApiTools({
        document: documentPath(name),
        baseUrl: "https://api.example.com/v1",
        prefix: "api",
        deprecated: true,
      });
      const registry = createRegistry();
      expect(set.register(registry)).toEqual([]);
      expect(registry.list().length).toBe(set.tools.length);
      expect(set.tools.length).toBeGreaterThan(40);
      // An engine of our own making, which knows nothing of core's.
      const ajv = new Ajv2020({
        strict: false,
        logger: false,
        validateFormats: false,
        code: { optimize: false },
      });
      for (const [index, { inputSchema, outputSchema }] of set.tools.entries()) {
        if (index % EVERY !== 0) continue;
        expect(() => ajv.compile(inputSchema as object)).not.toThrow();
        if (outputSchema !== undefined) expect(() => ajv.compile(outputSchema as object)).not.toThrow();
      }
      const left = set.diagnostics.filter(({ subject }) => subject !== undefined);
      // Nothing else in these documents is left out.
      for (const { message } of left) expect(message).toMatch(/files and multipart bodies/);
    });
  },
);
