import { defineTool, type RequirementSet, type Tool } from "@toolkeep/core";
import { type Arguments, fsRead, fsWrite, isSecretFile, netFetch } from "@toolkeep/core/internal";
import { commandEffects } from "@toolkeep/core/ports";

/** One execution that really came about, with what it was given. */
export interface Execution {
  readonly tool: string;
  readonly args: Arguments;
}

/** The state of the dry-run tools. None of them accesses another. */
export interface World {
  readonly executions: Execution[];
  readonly files: Readonly<Record<string, string>>;
  /** What every command prints. */
  readonly prints: string;
}

export const WORKSPACE = "/ws";

const ANYWHERE: RequirementSet = { fs: { read: ["/**"], write: ["/**"] } };

const PATH = { type: "string", minLength: 1 } as const;

/** Tools with the schemas and effects of real ones. They write down what they were given and do nothing else. */
export function dryRunTools(world: World): readonly Tool[] {
  return [
    bash(world),
    read(world),
    write(world),
    grep(world),
    webFetch(world),
    question(world),
    task(world),
  ] as readonly Tool[];
}

export function bash({ executions, prints }: World) {
  return defineTool({
    name: "bash",
    description: "Stands in for a shell.",
    mode: "local",
    inputSchema: {
      type: "object",
      properties: { command: { type: "string" } },
      required: ["command"],
      additionalProperties: false,
    },
    requires: {
      ...ANYWHERE,
      capabilities: ["shell.run", "shell.dynamic", "git.push", "git.commit", "package.publish"],
    },
    effects: async ({ command }, resolver) => commandEffects(await resolver.parseCommand(command), command),
    execute(args) {
      executions.push({ tool: "bash", args });
      return prints;
    },
  });
}

function read({ executions, files }: World) {
  return defineTool({
    name: "read",
    description: "Stands in for reading a file.",
    mode: "read",
    inputSchema: {
      type: "object",
      properties: { path: PATH },
      required: ["path"],
      additionalProperties: false,
    },
    requires: ANYWHERE,
    effects: ({ path }) => [fsRead(path)],
    execute(args) {
      executions.push({ tool: "read", args });
      const found = files[`${WORKSPACE}/${args.path}`];
      // The message of a file system, with a private path.
      if (found === undefined) throw new Error(`ENOENT: no such file, open '/home/ada/real/${args.path}'`);
      return found;
    },
  });
}

export function write({ executions }: World) {
  return defineTool({
    name: "write",
    description: "Stands in for writing a file.",
    mode: "safe_write",
    inputSchema: {
      type: "object",
      properties: { path: PATH, content: { type: "string" } },
      required: ["path", "content"],
      additionalProperties: false,
    },
    requires: ANYWHERE,
    effects: ({ path }) => [fsWrite(path)],
    execute(args) {
      executions.push({ tool: "write", args });
      return "written";
    },
  });
}

function grep({ executions, files }: World) {
  return defineTool({
    name: "grep",
    description: "Stands in for searching files.",
    mode: "read",
    inputSchema: {
      type: "object",
      properties: { pattern: { type: "string" }, path: PATH },
      required: ["pattern"],
      additionalProperties: false,
    },
    requires: ANYWHERE,
    effects: ({ path }) => [fsRead(path ?? `${WORKSPACE}/**`)],
    execute(args) {
      executions.push({ tool: "grep", args });
      const isMeant = (path: string) =>
        args.path === undefined ? !isSecretFile(path) : path === `${WORKSPACE}/${args.path}`;
      return Object.keys(files).filter(isMeant);
    },
  });
}

function webFetch({ executions }: World) {
  return defineTool({
    name: "web_fetch",
    description: "Stands in for fetching a page.",
    mode: "external",
    inputSchema: {
      type: "object",
      properties: { url: { type: "string" } },
      required: ["url"],
      additionalProperties: false,
    },
    requires: { net: { hosts: ["*"] } },
    effects: ({ url }) => [netFetch(new URL(url).hostname)],
    execute(args) {
      executions.push({ tool: "web_fetch", args });
      return `A page of ${args.url}`;
    },
  });
}

function question({ executions }: World) {
  return defineTool({
    name: "question",
    description: "Stands in for asking the person.",
    inputSchema: {
      type: "object",
      properties: {
        questions: {
          type: "array",
          items: {
            type: "object",
            properties: { question: { type: "string" } },
            required: ["question"],
            additionalProperties: false,
          },
        },
      },
      required: ["questions"],
      additionalProperties: false,
    },
    requires: {},
    mode: "read",
    effects: () => [],
    async execute(args, ctx) {
      const answers = await ctx.ask(args.questions);
      executions.push({ tool: "question", args });
      return answers;
    },
  });
}

function task(_world: World) {
  return defineTool({
    name: "task",
    description: "Stands in for handing work to a subagent.",
    inputSchema: {
      type: "object",
      properties: { prompt: { type: "string" } },
      required: ["prompt"],
      additionalProperties: false,
    },
    requires: {},
    effects: () => [],
    execute: ({ prompt }, ctx) => ctx.spawn({ agent: "worker", prompt }),
  });
}
