import {
  defineTool,
  type Effect,
  type JsonSchema,
  type RequirementSet,
  type Tool,
  type ToolContext,
  ToolFailure,
} from "@toolkeep/core";
import { type Presented, presentCredentials } from "../auth/present-credentials.ts";
import type { TokenStore } from "../auth/token-store.ts";
import type { Operation } from "../document/list-operations.ts";
import { shownText } from "../document/shown-text.ts";
import {
  buildRequest,
  type CallArguments,
  cookieHeader,
  joinPairs,
  requestPath,
} from "../request/build-request.ts";
import { overridingMethods } from "../request/method-override.ts";
import type { Pair } from "../request/serialize-value.ts";
import { readResponse } from "../response/read-response.ts";
import { effectsOf, hasSameEffect, modeOf, type Reach, requirementsOf } from "./operation-effects.ts";
import type { OperationInput } from "./operation-input.ts";

/** Further meaning of an operation. Adds requirements and effects, and removes none. */
export interface OperationMeaning {
  readonly requires?: RequirementSet;
  effects?(args: CallArguments): readonly Effect[];
  /** What its results carry, as `labels` of `defineTool`. */
  readonly labels?: NonNullable<Tool["labels"]>;
}

/** Everything a tool is made from, parsed and checked. */
export interface ReadOperation {
  readonly operation: Operation;
  readonly name: string;
  readonly input: OperationInput;
  readonly outputSchema?: JsonSchema;
  readonly reach: Reach;
  readonly meaning?: OperationMeaning;
}

/** What applies to all tools of a set. */
export interface ToolBounds {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly retriesIdempotent: boolean;
}

const MOST_BYTES = 10_000_000;
const IDEMPOTENT = new Set(["PUT", "DELETE"]);
const ACCEPT = "application/json, text/*;q=0.8, */*;q=0.5";

/** The tool for one operation. */
export function operationTool(read: ReadOperation, bounds: ToolBounds, tokens: TokenStore): Tool {
  const { operation, name, input, reach, outputSchema, meaning } = read;
  const { plan } = input;
  const mode = modeOf(operation.method);
  const host = reach.server.origin.slice(reach.server.origin.indexOf("//") + 2);
  const label = shownText(`${operation.method} ${operation.path} on ${host}`, 200).replaceAll(/\s+/g, " ");
  return defineTool({
    name,
    label,
    description: descriptionOf(operation, label),
    inputSchema: input.schema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    requires: withMeaning(requirementsOf(reach), meaning?.requires),
    ...(meaning?.labels === undefined ? {} : { labels: meaning.labels }),
    mode,
    kind: mode === "read" ? "fetch" : mode === "destructive" ? "delete" : "other",
    idempotent: mode === "read" || (bounds.retriesIdempotent && IDEMPOTENT.has(operation.method)),
    timeoutMs: bounds.timeoutMs,
    maxOutput: { bytes: bounds.maxOutputBytes },
    effects(given) {
      const args = given as CallArguments;
      const path = requestPath(plan, args, reach.server);
      // Invalid requests are reported before an approver is asked.
      buildRequest(plan, args);
      const overriding = overridingMethods(plan, args, hasSameEffect(operation.method))
        .flatMap((method) => effectsOf({ ...reach, method }, path))
        .map((one) => ({ ...one, implied: true as const }));
      return [...effectsOf(reach, path), ...overriding, ...(meaning?.effects?.(args) ?? [])];
    },
    async execute(given, ctx) {
      return await carryOut(read, given as CallArguments, { ctx, tokens, timeoutMs: bounds.timeoutMs });
    },
  });
}

interface PolicyContext {
  readonly ctx: ToolContext;
  readonly tokens: TokenStore;
  readonly timeoutMs: number;
}

async function carryOut(read: ReadOperation, args: CallArguments, around: PolicyContext) {
  const { reach } = read;
  const { ctx, tokens } = around;
  const first = await presentCredentials(reach.credentials, tokens, ctx);
  const response = await send(read, args, first, around);
  // A token can be revoked before it expires. The next call requests another one; this call is repeated only if it
  // changes nothing, because a server may have acted before it answered 401.
  const isRefused = response.status === 401 && first.renew();
  if (!isRefused || modeOf(read.operation.method) !== "read") return readResponse(response, first.secrets);
  await response.body.cancel();
  const second = await presentCredentials(reach.credentials, tokens, ctx);
  return readResponse(await send(read, args, second, around), [...first.secrets, ...second.secrets]);
}

function send(
  read: ReadOperation,
  args: CallArguments,
  presented: Presented,
  { ctx, timeoutMs }: PolicyContext,
) {
  const { operation, input, reach } = read;
  const path = requestPath(input.plan, args, reach.server);
  const built = buildRequest(input.plan, args);
  assertNoCredential(built.query, presented.query);
  assertNoCredential(built.cookies, presented.cookies);
  const query = joinPairs([...built.query, ...presented.query]);
  const cookie = cookieHeader([...built.cookies, ...presented.cookies]);
  return ctx.io.network.fetch({
    url: `${reach.server.origin}${path}${query === "" ? "" : `?${query}`}`,
    method: operation.method,
    headers: {
      accept: ACCEPT,
      ...built.headers,
      ...presented.headers,
      ...(cookie === "" ? {} : { cookie }),
    },
    ...(built.body === undefined ? {} : { body: built.body }),
    timeoutMs,
    maxBytes: MOST_BYTES,
    // The policy evaluated this path: a redirect target is for the next call.
    redirect: "manual",
  });
}

/** The fields of an object can become query names: they must not replace a credential. */
function assertNoCredential(given: readonly Pair[], presented: readonly Pair[]): void {
  const names = new Set(presented.map(([name]) => name));
  if (!given.some(([name]) => names.has(name))) return;
  throw new ToolFailure("invalid_arguments", "An argument has the name of a credential.", {
    hint: "Remove it: credentials cannot be set by arguments.",
  });
}

const LONGEST_DESCRIPTION = 2_000;

function descriptionOf({ summary, description, isDeprecated }: Operation, label: string): string {
  const text = [summary, description === summary ? undefined : description]
    .filter((text) => text !== undefined)
    .map((text) => shownText(text, LONGEST_DESCRIPTION))
    .filter((text) => text !== "");
  return [...text, `${isDeprecated ? "Deprecated. " : ""}${label}.`].join("\n\n");
}

function withMeaning(own: RequirementSet, more: RequirementSet = {}): RequirementSet {
  const join = <Entry>(one: readonly Entry[] = [], other: readonly Entry[] = []) => [
    ...new Set([...one, ...other]),
  ];
  return {
    ...more,
    net: { hosts: join(own.net?.hosts, more.net?.hosts) },
    env: join(own.env, more.env),
    capabilities: join(own.capabilities, more.capabilities),
  };
}
