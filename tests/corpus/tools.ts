import {
  commandEffects,
  defineTool,
  fsRead,
  fsWrite,
  netFetch,
  type Tool,
  ToolFailure,
} from "@toolkeep/core";

const PATH = { type: "string", minLength: 1, maxLength: 4_096 } as const;
const TEXT = { type: "string", maxLength: 10_000_000 } as const;
const IN_WORKSPACE = { read: ["{workspace}/**"], write: ["{workspace}/**"] };
const DECODER = new TextDecoder();

/** The smallest tools there can be over the real hands: what holds must be the hands' doing, not theirs. */
export function handTools(hosts: readonly string[]): readonly Tool[] {
  return [read(), write(), edit(), glob(), grep(), bash(), webFetch(hosts)] as readonly Tool[];
}

function read() {
  return defineTool({
    name: "read",
    description: "Reads a file.",
    mode: "read",
    inputSchema: object({ path: PATH }, ["path"]),
    requires: { fs: { read: [...IN_WORKSPACE.read, "{ad-hoc}"] } },
    effects: ({ path }) => [fsRead(path)],
    async execute({ path }, ctx) {
      const { bytes, size } = await ctx.io.files.read(path, { length: 200_000 });
      return { text: DECODER.decode(bytes), size };
    },
  });
}

function write() {
  return defineTool({
    name: "write",
    description: "Writes a file.",
    mode: "safe_write",
    inputSchema: object({ path: PATH, content: TEXT }, ["path", "content"]),
    requires: { fs: IN_WORKSPACE },
    effects: ({ path }) => [fsWrite(path)],
    async execute({ path, content }, ctx) {
      await ctx.io.files.write(path, content);
      return "written";
    },
  });
}

function edit() {
  return defineTool({
    name: "edit",
    description: "Replaces a text in a file.",
    mode: "safe_write",
    inputSchema: object({ path: PATH, old: { ...TEXT, minLength: 1 }, new: TEXT }, ["path", "old", "new"]),
    requires: { fs: IN_WORKSPACE },
    effects: ({ path }) => [fsRead(path), fsWrite(path)],
    async execute(args, ctx) {
      const { bytes, version } = await ctx.io.files.read(args.path);
      const text = DECODER.decode(bytes);
      if (!text.includes(args.old)) throw new ToolFailure("not_found", "The text is not in the file.");
      const replaced = text.replace(args.old, () => args.new);
      await ctx.io.files.write(args.path, replaced, { expects: version });
      return "edited";
    },
  });
}

function glob() {
  return defineTool({
    name: "glob",
    description: "Lists files.",
    mode: "read",
    inputSchema: object({ pattern: PATH, path: PATH }, ["pattern"]),
    requires: { fs: { read: IN_WORKSPACE.read } },
    effects: ({ path }) => [fsRead(beneath(path))],
    async execute({ pattern, path }, ctx) {
      const query = { root: path ?? ".", pattern: pattern, limit: 1_000 };
      return Array.fromAsync(ctx.io.files.list(query), (entry) => entry.path);
    },
  });
}

function grep() {
  return defineTool({
    name: "grep",
    description: "Searches files.",
    mode: "read",
    inputSchema: object({ pattern: PATH, path: PATH }, ["pattern"]),
    requires: { fs: { read: IN_WORKSPACE.read } },
    effects: ({ path }) => [fsRead(beneath(path))],
    async execute({ pattern, path }, ctx) {
      const query = { root: path ?? ".", pattern: pattern, limit: 200 };
      return Array.fromAsync(
        ctx.io.files.search(query),
        ({ path: at, text }) => `${at}: ${text.slice(0, 200)}`,
      );
    },
  });
}

function bash() {
  return defineTool({
    name: "bash",
    description: "Runs a command.",
    mode: "local",
    inputSchema: object({ command: { ...TEXT, maxLength: 16_000 } }, ["command"]),
    requires: {
      fs: IN_WORKSPACE,
      capabilities: ["shell.run", "shell.dynamic", "git.push", "git.commit", "package.publish"],
    },
    effects: async ({ command }, foresee) => commandEffects(await foresee.parseCommand(command), command),
    async execute({ command }, ctx) {
      const outcome = await ctx.io.commands.run({ line: command, keepBytes: 200_000 });
      return { ...outcome, output: DECODER.decode(outcome.output?.head), path: outcome.output?.path };
    },
  });
}

function webFetch(hosts: readonly string[]) {
  return defineTool({
    name: "web_fetch",
    description: "Fetches a page.",
    mode: "external",
    inputSchema: object(
      { url: { type: "string" }, headers: { type: "object", additionalProperties: { type: "string" } } },
      ["url"],
    ),
    requires: { net: { hosts: [...hosts] } },
    effects: ({ url }) => [netFetch(new URL(url).hostname)],
    async execute({ url, headers }, ctx) {
      const given = headers === undefined ? {} : { headers: headers as Record<string, string> };
      const response = await ctx.io.network.fetch({ url: url, ...given });
      return { status: response.status, text: await new Response(response.body).text() };
    },
  });
}

function beneath(path: string | undefined): string {
  return path === undefined ? "./**" : `${path}/**`;
}

function object<const Properties extends object, const Required extends readonly string[]>(
  properties: Properties,
  required: Required,
) {
  return { type: "object", properties, required, additionalProperties: false } as const;
}
