import type { Way } from "./stage.ts";

/** A file within the workspace is changed. Targets are relative to it; the file says `old`. */
export function writingWays(root: string): readonly Way[] {
  return [
    {
      name: "edit",
      tool: "edit",
      args: (path) => ({ path: `${root}/${path}`, old_string: "old", new_string: "new" }),
    },
    {
      name: "an MCP filesystem server",
      tool: "files_edit_file",
      args: (path) => ({ path: `${root}/${path}`, edits: [{ oldText: "old", newText: "new" }] }),
    },
    { name: "an OpenAPI PUT", tool: "putFile", args: (path) => ({ path, body: { text: "new" } }) },
    {
      name: "an AI SDK tool",
      tool: "save_note",
      args: (path) => ({ file: `${root}/${path}`, text: "new" }),
    },
  ];
}

/** A page of a host is read. Targets are `docs.test` and `evil.test`. */
export function fetchingWays(port: number): readonly Way[] {
  const url = (host: string) => `http://${host}:${port}/page`;
  return [
    { name: "web_fetch", tool: "web_fetch", args: (host) => ({ url: url(host) }) },
    { name: "an MCP server that fetches", tool: "pages_fetch", args: (host) => ({ url: url(host) }) },
    { name: "an AI SDK tool", tool: "get_page", args: (host) => ({ host, port }) },
  ];
}

/** An operation is a tool for each host. */
export function operationFor(host: string): Way {
  return { name: "an OpenAPI GET", tool: `${host.replace(".test", "")}__getPage`, args: () => ({}) };
}
