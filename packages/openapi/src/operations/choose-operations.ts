import type { Diagnostic } from "@toolkeep/core";
import type { Operation } from "../document/list-operations.ts";
import { quoted } from "../document/unreadable.ts";

/** Which operations become tools. All conditions must hold; without any, all operations become tools. */
export interface OperationFilter {
  /** By their `operationId`. */
  readonly operations?: readonly string[];
  /** Those that have one of these tags. */
  readonly tags?: readonly string[];
  /** Those whose path is this one, or under it. */
  readonly pathPrefix?: string;
  /** Also deprecated operations. */
  readonly deprecated?: boolean;
}

/** A name that matches nothing is reported: it is most likely a mistake. */
export function chooseOperations(
  operations: readonly Operation[],
  filter: OperationFilter,
): { readonly chosen: readonly Operation[]; readonly diagnostics: readonly Diagnostic[] } {
  const { operations: ids, tags, pathPrefix, deprecated = false } = filter;
  const chosen = operations.filter(
    (operation) =>
      (deprecated || !operation.isDeprecated) &&
      (ids === undefined || (operation.id !== undefined && ids.includes(operation.id))) &&
      (tags === undefined || operation.tags.some((tag) => tags.includes(tag))) &&
      (pathPrefix === undefined || isBeneath(operation.path, pathPrefix)),
  );
  const knownIds = new Set(operations.map(({ id }) => id));
  const knownTags = new Set(operations.flatMap((operation) => operation.tags));
  return {
    chosen,
    diagnostics: [
      ...missing(ids, knownIds, "No operation has the id"),
      ...missing(tags, knownTags, "No operation has the tag"),
    ],
  };
}

/** Segment by segment: `/pet` does not include `/petshop`. */
function isBeneath(path: string, prefix: string): boolean {
  const folder = prefix.replace(/(?<!\/)\/+$/, "");
  return path === folder || path.startsWith(`${folder}/`);
}

function missing(
  wanted: readonly string[] | undefined,
  known: ReadonlySet<string | undefined>,
  text: string,
): Diagnostic[] {
  return (wanted ?? [])
    .filter((name) => !known.has(name))
    .map((name) => ({ code: "unknown_operation", message: `${text} ${quoted(name)}.` }));
}
