import type { ToolCall } from "@toolkeep/core";
import { fsWrite } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";
import { call } from "./scenario.ts";

export const variables = { workspace: ["/ws"] };

/** A tool that writes within the workspace: to one path, or to several. */
export const writer = (description = "Writes.") =>
  stubTool("writer", () => "done", {
    description,
    requires: { fs: { write: ["{workspace}/**"] } },
    effects: ({ path, paths }) => (Array.isArray(paths) ? paths : [path]).map((one) => fsWrite(String(one))),
  }).tool;

export const write = (path: string, id = "c1"): ToolCall => call("writer", { path }, id);
