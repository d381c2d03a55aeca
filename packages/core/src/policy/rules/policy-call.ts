import type { Effect } from "../../contract/call/effect.ts";
import { modeOfName, type ToolMode } from "../../contract/call/mode.ts";
import type { PolicyContext } from "../../contract/policy/decision.ts";
import type { Arguments, PolicyCall } from "../../contract/policy/policy-call.ts";
import type { RemoteAddress } from "../../contract/tool/tool.ts";
import { defined } from "../../contract/values/defined.ts";
import { type Origin, originName, type SourceKind } from "../../contract/values/origin.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { definitionFingerprint } from "../approvers/fingerprint.ts";
import type { ExplainedStep } from "./explanation.ts";
import type { Moment } from "./moment.ts";

/** A call to evaluate without a session: in a test, or from a journal. */
export interface PolicyCallInput {
  readonly tool: string;
  readonly effects: readonly Effect[];
  readonly args?: Arguments;
  /** Default: `code`. */
  readonly source?: SourceKind;
  readonly remote?: RemoteAddress;
  readonly mode?: ToolMode;
  readonly gated?: boolean;
  readonly actionArgument?: string;
  readonly id?: string;
}

/** A call for `policy.decide` and `policy.explain`. Its effects must be canonical: absolute paths, plain hosts. */
export function policyCall(input: PolicyCallInput): PolicyCall {
  const { tool: name, effects, args = {}, source = "code", remote, actionArgument } = input;
  const layer = source === "bundled" ? source : "code";
  const origin: Origin = { layer, source, ...defined({ id: remote?.serverId }) };
  return {
    id: input.id ?? "hypothetical",
    found: {
      name,
      origin,
      originName: originName(origin),
      tool: {
        mode: input.mode ?? modeOfName(name),
        isModeGuessed: input.mode === undefined,
        gated: input.gated ?? true,
        ...defined({ remote, actionArgument }),
      },
    },
    args,
    argsText: JSON.stringify(args),
    effects: effects.map((effect) => ({ ...effect, known: effect.known ?? "declared" })),
  };
}

const shapes = createRedactor();

/** The context of a new session, with these fields changed. */
export function policyContext(known: Partial<PolicyContext> = {}): PolicyContext {
  return {
    sessionId: "hypothetical",
    principal: { role: "agent", workspace: "main" },
    agents: [],
    sandbox: "none",
    isTrusted: false,
    roots: [],
    changedScripts: new Set(),
    taint: new Set(),
    requires: {},
    last: undefined,
    holdsSecret: (text) => shapes.find(text).length > 0,
    isApproved: () => false,
    definitionHash: definitionFingerprint,
    ...known,
  };
}

/** What every part of a policy gets to evaluate a call. */
export interface PolicyInput {
  readonly call: PolicyCall;
  readonly context: PolicyContext;
  /** Collects the steps of an explanation; `undefined` for a decision only. */
  readonly trace: ExplainedStep[] | undefined;
  /** For the `when` of rules; `undefined` where no rule has one. */
  readonly moment?: Moment | undefined;
}
