import { ToolFailure } from "../contract/call/result.ts";
import type {
  Command,
  CommandOutcome,
  FileEntry,
  Io,
  NetworkRequest,
  RunningCommand,
  SearchMatch,
  SearchQuery,
} from "../contract/io/io.ts";
import type { GrantIo } from "../contract/stages/grant.ts";

/** A small world in memory for tools to act on. */
export interface FakeWorld {
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly fetch?: (request: NetworkRequest) => { readonly status: number; readonly body: string };
  readonly run?: (command: Command) => { readonly exitCode: number; readonly output: string };
}

/** I/O for tests, with a record of what was done. */
export interface FakeIo {
  /** To be given to a session. */
  readonly grantIo: GrantIo;
  /** The files as they are now. */
  readonly files: Map<string, string>;
  /** What tools did, in order, e.g. `read /a`, `run git status`. */
  readonly accesses: string[];
}

const encoder = new TextEncoder();

/** I/O for tools under test. It checks nothing: what real I/O refuses is not tested with it. */
export function fakeIo(world: FakeWorld = {}): FakeIo {
  const files = new Map(Object.entries(world.files ?? {}));
  const accesses: string[] = [];

  const io: Io = {
    files: fakeFiles(files, accesses),
    network: {
      async fetch(request) {
        accesses.push(`fetch ${request.url}`);
        const { status, body } = world.fetch?.(request) ?? { status: 404, body: "" };
        return { url: request.url, status, headers: {}, body: streamOf(body) };
      },
    },
    commands: {
      async run(command) {
        accesses.push(`run ${wordsOf(command)}`);
        const { exitCode, output } = world.run?.(command) ?? { exitCode: 127, output: "" };
        const bytes = encoder.encode(output);
        await command.onOutput?.(bytes);
        if (command.keepBytes === undefined) return { exitCode };
        return { exitCode, output: { head: bytes.slice(0, command.keepBytes), size: bytes.length } };
      },
      async start(command) {
        accesses.push(`start ${wordsOf(command)}`);
        return talking(world.run?.(command)?.output ?? "");
      },
    },
    environment: { read: (name) => world.environment?.[name] },
  };
  return { grantIo: () => io, files, accesses };
}

/** Files in memory, which record what is done with them. */
function fakeFiles(files: Map<string, string>, accesses: string[]): Io["files"] {
  function contentOf(path: string): string {
    const content = files.get(path);
    if (content === undefined) throw new ToolFailure("not_found", `There is no file ${path}.`);
    return content;
  }

  /** What it holds is all that a file in memory has. */
  function versionOf(path: string): string {
    return contentOf(path);
  }

  function expectVersion(path: string, expects: string | undefined): void {
    if (expects !== undefined && expects !== (files.has(path) ? versionOf(path) : "absent"))
      throw new ToolFailure("conflict", `${path} was changed.`);
  }

  function put(path: string, content: string | Uint8Array): void {
    files.set(path, typeof content === "string" ? content : new TextDecoder().decode(content));
  }

  return {
    async read(path, range = {}) {
      accesses.push(`read ${path}`);
      const all = encoder.encode(contentOf(path));
      const from = range.offset ?? 0;
      return {
        bytes: all.slice(from, range.length === undefined ? undefined : from + range.length),
        size: all.length,
        version: versionOf(path),
      };
    },
    async write(path, content, { expects } = {}) {
      accesses.push(`write ${path}`);
      expectVersion(path, expects);
      put(path, content);
      return { version: versionOf(path) };
    },
    async remove(path) {
      accesses.push(`remove ${path}`);
      files.delete(path);
    },
    async writeAll(changes) {
      accesses.push(
        ...changes.map(({ path, content }) => `${content === undefined ? "remove" : "write"} ${path}`),
      );
      for (const { path, expects } of changes) expectVersion(path, expects);
      return changes.map(({ path, content }) => {
        if (content === undefined) files.delete(path);
        else put(path, content);
        return { version: files.has(path) ? versionOf(path) : "absent" };
      });
    },
    async *list({ root, limit = Number.POSITIVE_INFINITY }): AsyncGenerator<FileEntry> {
      accesses.push(`list ${root}`);
      const beneath = [...files].filter(([path]) => path.startsWith(root)).slice(0, limit);
      for (const [path, content] of beneath) yield { path, size: content.length, modifiedAt: 0 };
    },
    async *search(query): AsyncGenerator<SearchMatch> {
      accesses.push(`search ${query.root}`);
      yield* matchesIn(files, query);
    },
  };
}

/** The pattern is taken for a text. */
function matchesIn(files: ReadonlyMap<string, string>, query: SearchQuery): readonly SearchMatch[] {
  const { root, pattern, limit, mostPerFile } = query;
  const found = [...files].flatMap(([path, content]) => {
    if (!path.startsWith(root)) return [];
    const lines = content.split("\n").map((text, index) => ({ path, line: index + 1, text }));
    return lines.filter(({ text }) => text.includes(pattern)).slice(0, mostPerFile);
  });
  return found.slice(0, limit);
}

function wordsOf(command: Command): string {
  return "line" in command ? command.line : command.argv.join(" ");
}

/** A process that answers every line it is sent with one of its own. */
function talking(greeting: string): RunningCommand {
  const exited = Promise.withResolvers<CommandOutcome>();
  const greet = {
    start: (controller: TransformStreamDefaultController<Uint8Array>) =>
      controller.enqueue(encoder.encode(greeting)),
  };
  // A buffer in the pipe, as a real process has: a writer need not read at the same time.
  const echo = new TransformStream<Uint8Array, Uint8Array>(greet, undefined, { highWaterMark: 64 });
  return {
    stdin: echo.writable,
    stdout: echo.readable,
    stderr: streamOf(""),
    exited: exited.promise,
    async kill() {
      exited.resolve({ exitCode: null, signal: "SIGKILL" });
    },
  };
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(text));
      controller.close();
    },
  });
}
