import { once } from "node:events";
import { createSession, type Effect, type Io, type Rule, ToolFailure, type ToolResult } from "@toolkeep/core";
import { fsDelete, fsRead, fsWrite, memoryJournal } from "@toolkeep/core/internal";
import type { Ceiling, Variables } from "@toolkeep/core/policy";
import type { Files, GrantIo } from "@toolkeep/core/ports";
import { stubTool } from "@toolkeep/core/testing";
import { parseCommand } from "@toolkeep/node/internal";
import { canonicalPath } from "../../packages/node/src/files/canonical-path.ts";
import type { FileBounds } from "../../packages/node/src/files/file-bounds.ts";
import { guardedFiles } from "../../packages/node/src/files/guarded-files.ts";

export interface FilesSession {
  readonly variables: Variables;
  /** The effects of the call. Default: everything in the workspace. */
  readonly effects?: readonly Effect[];
  readonly ceiling?: Ceiling;
  /** Whether the built-in watchdogs run before the I/O; otherwise the I/O is on its own. */
  readonly watched?: boolean;
  readonly bounds?: Partial<FileBounds>;
}

export interface FilesOutcome<Value> {
  /** What came of it, unless it failed. */
  readonly value?: Value;
  readonly failure?: ToolResult["failure"];
  /** The targets of all accesses that were refused and recorded. */
  readonly refused: readonly string[];
}

const RULES: readonly Rule[] = [{ permission: "*", action: "allow" }];
const PLACES = ["{workspace}/**", "{ad-hoc}"];

/** Does something with the files hand of one call, or cancels it, in a session with everything that stands before it. */
export async function withFiles<Value>(
  options: FilesSession,
  act: (files: Files, cancel: () => Promise<void>) => Promise<Value>,
): Promise<FilesOutcome<Value>> {
  const {
    variables,
    effects = everythingIn(variables),
    ceiling = "unlimited",
    watched = false,
    bounds,
  } = options;
  const done: { value?: Value } = {};
  const stop = new AbortController();
  const { tool } = stubTool(
    "io",
    async (_args, ctx) => {
      done.value = await act(ctx.io.files, async () => {
        const cancelled = once(ctx.abortSignal, "abort");
        stop.abort();
        await cancelled;
      });
      return "done";
    },
    { requires: { fs: { read: PLACES, write: PLACES } }, effects: () => [...effects], mode: "destructive" },
  );
  const journal = memoryJournal();
  const resolver = {
    canonicalPath,
    parseCommand: (line: string) => parseCommand(line, { home: "/home/user" }),
  };
  const session = await createSession({
    tools: [tool],
    ...{ variables, ceiling, journal, resolver },
    policy: { rules: RULES, ...(watched ? {} : { builtIn: "off" }) },
    grantIo: filesOnly(bounds),
  });
  const result = await session.call({ id: "c", name: "io", arguments: {} }, { signal: stop.signal });
  const refused: string[] = [];
  for await (const event of journal.read()) if (event.type === "access-refuse") refused.push(event.target);
  return { ...(result.ok ? done : {}), ...(result.failure ? { failure: result.failure } : {}), refused };
}

function everythingIn({ workspace = [], "ad-hoc": files = [] }: Variables): readonly Effect[] {
  const directories = [...workspace.map((root) => `${root}/**`), ...files];
  return directories.flatMap((place) => [fsRead(place), fsWrite(place), fsDelete(place)]);
}

/** I/O for files only. */
function filesOnly(bounds: Partial<FileBounds> = {}): GrantIo {
  const absent = (): never => {
    throw new ToolFailure("unavailable", "Only files are within reach here.");
  };
  return (grant): Io => ({
    files: { ...guardedFiles(grant, bounds), writeAll: absent },
    network: { fetch: absent },
    commands: { run: absent, start: absent },
    environment: { read: absent },
  });
}

export async function all<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  return Array.fromAsync(entries);
}
