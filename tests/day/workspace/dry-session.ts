import { createSession, type Io, type PolicyDefinition, ToolFailure } from "@toolkeep/core";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { type SearchProvider, standardTools } from "@toolkeep/tools";
import type { ClientCall } from "../step.ts";
import { standardCall } from "./standard-call.ts";

export type Verdict = "allow" | "ask" | "deny";

/** A service that no call reaches. */
export const SEARCH: SearchProvider = {
  name: "search",
  url: "https://search.example/",
  request: ({ query }) => ({ url: `https://search.example/?q=${encodeURIComponent(query)}` }),
  read: () => [],
};

/** Sessions of a workspace that decide as always and execute nothing. */
export interface DryWorkspace extends AsyncDisposable {
  /** Decides calls one after the other in one session; `undefined` where we have no such tool. */
  decide(calls: readonly ClientCall[], policy?: DryPolicy): Promise<readonly (Verdict | undefined)[]>;
}

interface DryOptions {
  readonly project: string;
  /** Without a sandbox. */
  readonly open?: boolean;
  readonly gate?: "recommended" | "off";
}

/** What differs from the recommended policy. */
export interface DryPolicy {
  /** Lines that are added. */
  readonly rules?: readonly string[];
  /** Nothing that a session has read or fetched decides anything. */
  readonly withoutTaint?: boolean;
  readonly isTrusted?: boolean;
}

export async function openDryWorkspace({ project, open, gate }: DryOptions): Promise<DryWorkspace> {
  const workspace = await openWorkspace({
    roots: [project],
    ...(open === true ? { sandbox: noSandbox() } : {}),
  });
  return {
    decide: (calls, policy = {}) => decideAll(calls, workspace, { gate: gate ?? "recommended", ...policy }),
    [Symbol.asyncDispose]: () => workspace.close(),
  };
}

interface Deciding extends DryPolicy {
  readonly gate: "recommended" | "off";
}

async function decideAll(calls: readonly ClientCall[], workspace: Workspace, deciding: Deciding) {
  let asked = 0;
  await using session = await createSession({
    ...workspace.sessionOptions(),
    tools: standardTools({ webSearch: { providers: [SEARCH] } }),
    policy: deciding.gate === "off" ? { mode: "yolo", builtIn: "off" } : recommended(deciding),
    isTrusted: deciding.isTrusted === true,
    grantIo: () => NO_IO,
    approver: async () => {
      asked += 1;
      return { verdict: "once" };
    },
  });
  const verdicts: (Verdict | undefined)[] = [];
  for (const call of calls) {
    const own = standardCall(call);
    const before = asked;
    const result = own === undefined ? undefined : await session.call(own.name, own.arguments);
    const isRefused = REFUSED.has(result?.failure?.code ?? "");
    if (result?.failure?.code === "invalid_arguments") throw new Error(result.failure.message);
    verdicts.push(own === undefined ? undefined : asked > before ? "ask" : isRefused ? "deny" : "allow");
  }
  return verdicts;
}

function recommended({ rules: more = [], withoutTaint = false }: DryPolicy): PolicyDefinition {
  const { rules, builtIn } = RECOMMENDED_POLICY;
  const open = rules.map((rule) => ({
    ...rule,
    ...(rule.if === undefined ? {} : { if: rule.if.filter((condition) => condition !== "not private") }),
  }));
  return {
    mode: "ask",
    rules: [...(withoutTaint ? open : rules), ...more],
    builtIn: withoutTaint ? { ...builtIn, "rule-of-two": "off" } : builtIn,
  };
}

/** Codes of calls that were refused before anything could happen. */
const REFUSED = new Set(["denied", "out_of_scope", "effects_failed", "loop_detected"]);

/** Whatever a tool wants to do ends here. */
const NO_IO = new Proxy(() => {}, {
  get: () => NO_IO,
  apply() {
    throw new ToolFailure("unavailable", "Nothing is executed here.");
  },
}) as unknown as Io;
