import { defineTool, type Tool } from "@toolkeep/core";
import { netFetch } from "@toolkeep/core/internal";

/** Brings something in from outside, so that the session is tainted. */
export const pageTool = defineTool({
  name: "page",
  description: "Reads a page.",
  inputSchema: { type: "object" },
  mode: "read",
  requires: { net: { hosts: ["pages.test"] } },
  effects: () => [netFetch("pages.test")],
  execute: () => "a page",
}) as Tool;
