import { readPaths } from "../../../commands/meaning/read-paths.ts";
import type { FileLabels } from "../../../contract/io/resolve-effects.ts";
import type { CanonicalEffect } from "../../../contract/policy/policy-call.ts";
import type { ResolvedCall } from "../../../contract/stages/call.ts";
import { type Awaitable, type QueuedCall, Refused } from "../../turn/stage.ts";
import type { Turn } from "../../turn/turn.ts";

/** Adds what is remembered of the files that a call reads. */
export function withCarried(
  resolving: Awaitable<ResolvedCall | Refused>,
  fileLabels: FileLabels,
  turn: Turn,
): Awaitable<ResolvedCall | Refused> {
  if (resolving instanceof Promise) return resolving.then((call) => withCarried(call, fileLabels, turn));
  if (resolving instanceof Refused) return resolving;
  if (!resolving.effects.some(isAboutFiles)) return resolving;
  const { roots } = turn.runtime.sessionState.of(turn.principal);
  return carriedIn(resolving, fileLabels.of(pathsIn(resolving, roots)));
}

/** What writes is looked at too: where labels cannot be kept, nothing that may need one is written. */
function isAboutFiles({ capability }: CanonicalEffect): boolean {
  return capability === "fs.read" || capability === "fs.write" || capability.startsWith("shell.");
}

function* pathsIn({ effects }: ResolvedCall, roots: readonly string[]): Generator<string> {
  for (const { path } of readPaths(effects, roots)) yield path;
}

async function carriedIn(call: ResolvedCall, finding: ReturnType<FileLabels["of"]>): Promise<ResolvedCall> {
  const found = await finding;
  if (found.length === 0) return call;
  const carries: Record<string, string> = {};
  for (const [label, path] of found) carries[label] ??= `reads ${JSON.stringify(path)}, ${WRITTEN[label]}`;
  return { ...call, carries };
}

const WRITTEN = {
  private: "which an agent wrote after it had looked into private data",
  untrusted: "which an agent wrote after it had taken in content from outside",
} as const;

/** Has the files remembered that a call was allowed to write, if its session has labels. */
export function rememberWritten(
  { effects }: QueuedCall,
  { runtime, principal }: Turn,
  since: number,
): Promise<void> | undefined {
  const fileLabels = runtime.ports.resolver?.fileLabels;
  if (fileLabels === undefined) return undefined;
  const { taint } = runtime.sessionState.of(principal);
  if (taint.size === 0) return undefined;
  const paths = effects.flatMap(({ capability, target }) => (capability === "fs.write" ? [target] : []));
  return paths.length === 0 ? undefined : fileLabels.remember(paths, [...taint], since);
}
