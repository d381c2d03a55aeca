import type { Session } from "@toolkeep/core";
import { canonicalJson } from "@toolkeep/core/internal";
import type { Explanation, Watchdog, WatchdogVerdict } from "@toolkeep/core/policy";
import type { DryRunCall, HookVerdict } from "../../../clients/hook-call.ts";
import { reasonOf, type SafeForm, safeFormOf } from "./safe-form.ts";

/** The names of the watchdogs in the journal, which distinguish these refusals from others. */
const SAFE_FORM = "safe-form";
const CANNOT_ASK = "client-cannot-ask";
const TYPED_INPUT = "typed-input";

/** A call of a dry-run tool, also of one for a server's tool. */
export interface EvaluatedCall {
  readonly tool: string;
  readonly arguments: DryRunCall["arguments"];
}

/** A call, and how the policy decides about it in the state of the session before it. */
export interface ExplainedCall {
  readonly call: EvaluatedCall;
  /** Missing for a call that fails before it is decided. */
  readonly explained: Explanation | undefined;
}

interface Screening {
  readonly session: Session;
  readonly root: string;
  /** A form that is not asked about in the client's mode; `undefined` if none is known. */
  milderForm(call: EvaluatedCall, explained: Explanation): SafeForm | undefined;
  /** Why a call that asks is refused instead; `undefined` if it is not. */
  refusal(call: EvaluatedCall, explained: Explanation): string | undefined;
}

/**
 * Calls of a hook that are refused before they are decided, because a decided call marks the session: of a call that
 * has a safe form, or that asks where the client cannot, nothing is read or changed.
 */
export class RefusedCalls {
  readonly #forms = new Map<string, SafeForm>();
  readonly #unasked = new Map<string, string>();
  readonly #typed: ReadonlyMap<string, string>;
  #denied: string | undefined;

  /** `typed`: why command lines are refused that wait for typed commands, by their text. */
  constructor(typed: ReadonlyMap<string, string>) {
    this.#typed = typed;
  }

  /** For the session that decides. */
  readonly watchdogs: readonly Watchdog[] = [
    refusing(SAFE_FORM, (args) => this.#forms.get(canonicalJson(args))?.reason),
    refusing(TYPED_INPUT, ({ command }) => this.#typed.get(String(command))),
    refusing(CANNOT_ASK, (args) => this.#unasked.get(canonicalJson(args))),
  ];

  /** The form to be named to the model, or why a search is denied, with the file that it would read. */
  get verdict(): HookVerdict | undefined {
    const [form] = this.#forms.values();
    const denied = { action: "deny", decided: "deny" } as const;
    if (form !== undefined) return { ...denied, ...form };
    return this.#denied === undefined ? undefined : { ...denied, reason: this.#denied };
  }

  /** The calls to decide: those that are refused, or all of them if none is. A hook has one answer for all its calls. */
  async screen(calls: readonly ExplainedCall[], screening: Screening): Promise<readonly ExplainedCall[]> {
    const refused: ExplainedCall[] = [];
    for (const one of calls) if (await this.#isRefused(one, screening)) refused.push(one);
    return refused.length === 0 ? calls : refused;
  }

  async #isRefused(
    { call, explained }: ExplainedCall,
    { session, root, milderForm, refusal }: Screening,
  ): Promise<boolean> {
    // Without an explanation the call fails before it is decided.
    if (explained === undefined) return true;
    const { action } = explained.decision;
    if (action === "allow") return false;
    const allowed = hasForms(call)
      ? await safeFormOf({ call, explained, root }, (args) =>
          explanationOf(session, { ...call, arguments: args }),
        )
      : undefined;
    const form = allowed ?? (action === "ask" ? milderForm(call, explained) : undefined);
    if (form !== undefined) {
      this.#forms.set(canonicalJson(call.arguments), form);
      return true;
    }
    if (action === "deny") {
      if (hasForms(call) && call.tool === "grep") this.#denied ??= reasonOf({ call, explained });
      return true;
    }
    const reason = refusal(call, explained);
    if (reason !== undefined) this.#unasked.set(canonicalJson(call.arguments), reason);
    return reason !== undefined;
  }
}

/** How the policy decides about a call, without a trace in the session. */
export async function explanationOf(
  session: Session,
  { tool, arguments: args }: EvaluatedCall,
): Promise<Explanation | undefined> {
  return (await session.explain({ id: SAFE_FORM, name: tool, arguments: args })).explanation;
}

/** Others have no safe form. */
function hasForms(call: EvaluatedCall): call is DryRunCall {
  return call.tool === "bash" || call.tool === "grep";
}

function refusing(
  name: string,
  reasonFor: (args: Readonly<Record<string, unknown>>) => string | undefined,
): Watchdog {
  return {
    name,
    evaluate({ args }): WatchdogVerdict {
      const reason = reasonFor(args);
      return reason === undefined ? { action: "allow" } : { action: "deny", reason };
    },
  };
}
