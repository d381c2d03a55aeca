import type { Effect } from "../../../contract/call/effect.ts";
import { ToolFailure } from "../../../contract/call/result.ts";
import type {
  EffectResolver,
  FoundBeneath,
  LineOnDisk,
  ParsedCommand,
  ProtectedPaths,
} from "../../../contract/io/resolve-effects.ts";
import type { CheckedCall } from "../../../contract/stages/call.ts";
import { alternativesOf, compileGlob } from "../../../policy/patterns/compile-glob.ts";
import type { Turn } from "../../turn/turn.ts";
import { lexicalPath } from "./lexical-path.ts";

/** Asks the port, and has every answer recorded. */
export class RecordedEffectResolver implements EffectResolver {
  readonly #id: string;
  readonly #turn: Turn;
  readonly #call: CheckedCall;
  #asked = 0;

  constructor(id: string, turn: Turn, call: CheckedCall) {
    this.#id = id;
    this.#turn = turn;
    this.#call = call;
  }

  canonicalPath(path: string): Promise<string> {
    return this.#ask(
      ({ canonicalPath }) => canonicalPath(absolute(path, this.#turn)),
      async () => {
        const lexical = lexicalPath(path, this.#turn.runtime.scope.variables.workspace?.[0]);
        if (lexical === undefined)
          throw new ToolFailure("effects_failed", `${JSON.stringify(path)} is not an absolute path`);
        return lexical;
      },
    );
  }

  parseCommand(line: string): Promise<ParsedCommand> {
    const noParser = { plain: false, reason: "there is no command parser here" } as const;
    return this.#ask<ParsedCommand>(
      ({ parseCommand }) => parseCommand(line),
      () => Promise.resolve(noParser),
    );
  }

  commandsOnDisk(line: LineOnDisk): Promise<readonly Effect[]> {
    const nothing = async () => [];
    const { commandsOnDisk } = this.#turn.runtime.ports.resolver ?? {};
    if (commandsOnDisk === undefined) return nothing();
    const folder = absolute(line.folder ?? ".", this.#turn);
    const look = () => commandsOnDisk({ ...line, folder }, protectedPaths(this.#call, this.#turn));
    return this.#ask<readonly Effect[]>(look, nothing);
  }

  hostsOf(line: LineOnDisk): Promise<readonly string[]> {
    const none = async () => [];
    const { hostsOf } = this.#turn.runtime.ports.resolver ?? {};
    if (hostsOf === undefined) return none();
    const folder = absolute(line.folder ?? ".", this.#turn);
    return this.#ask<readonly string[]>(() => hostsOf({ ...line, folder }), none);
  }

  findBeneath(folder: string, isWanted?: (path: string) => boolean): Promise<FoundBeneath> {
    return this.#ask<FoundBeneath>(
      async (port) => (await port.findBeneath?.(folder, isWanted)) ?? "unknown",
      () => Promise.resolve("unknown"),
    );
  }

  #ask<T>(byPort: (port: EffectResolver) => Promise<T>, byWords: () => Promise<T>): Promise<T> {
    const { resolver: port } = this.#turn.runtime.ports;
    if (port === undefined) return byWords();
    this.#asked += 1;
    return this.#turn.steps.run(`${this.#id}/effects/${this.#asked}`, "none", () => byPort(port));
  }
}

export function absolute(path: string, turn: Turn): string {
  const root = turn.runtime.scope.variables.workspace?.[0];
  return path.startsWith("/") || root === undefined ? path : `${root}/${path}`;
}

/** The files beneath the roots that the rules have something against, as for a tree that is read in part. */
function protectedPaths(call: CheckedCall, { runtime, principal }: Turn): ProtectedPaths {
  const context = runtime.sessionState.of(principal);
  const { roots } = context;
  const effects = roots.map((root) => ({
    capability: "fs.read",
    target: `${root.replace(/\/$/, "")}/**`,
    known: "inferred" as const,
    partial: true as const,
  }));
  const written = runtime.authorizer.leavesOut?.({ ...call, effects }, context) ?? [];
  const patterns = written.map(compileGlob);
  const mayConcern = quickly(written);
  return {
    roots,
    isProtected: (path) => mayConcern(path) && patterns.some((pattern) => pattern.mayMatch(path, "path")),
  };
}

const WILD = /[*?{]/;

/** A test that most paths of a tree fail: a match contains what stands between the last wildcards of its pattern. */
function quickly(patterns: readonly string[]): (path: string) => boolean {
  const texts = new Set(patterns.flatMap((pattern) => (alternativesOf(pattern) ?? [""]).map(lastText)));
  if (texts.has("")) return () => true;
  const needed = [...texts];
  return (path) => WILD.test(path) || path.length > LONGEST || needed.some((text) => path.includes(text));
}

const LONGEST = 4_096;

function lastText(pattern: string): string {
  return pattern.split(/[/*?]+/).findLast((text) => text !== "") ?? "";
}
