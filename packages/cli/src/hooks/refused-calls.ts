import type { Session } from "@toolkeep/core";
import type { Explanation, Watchdog, WatchdogVerdict } from "@toolkeep/core/policy";
import type { DryRunCall } from "./hook-call.ts";
import { reasonOf, type SafeForm, safeFormOf } from "./safe-form.ts";

/** The names of the watchdogs in the journal, which distinguish these refusals from others. */
const SAFE_FORM = "safe-form";
const CANNOT_ASK = "client-cannot-ask";

interface Screening {
  readonly session: Session;
  readonly root: string;
  readonly canAsk: boolean;
  /** The reason for a client that cannot ask. */
  cannotAsk(explained: Explanation): string;
}

/**
 * Calls of a hook that are refused before they are decided, because a decided call marks the session: of a call that
 * has a safe form, or that asks where the client cannot, nothing is read or changed.
 */
export class RefusedCalls {
  readonly #forms = new Map<string, SafeForm>();
  readonly #unasked = new Map<string, string>();
  #denied: string | undefined;

  /** For the session that decides. */
  readonly watchdogs: readonly Watchdog[] = [
    refusing(SAFE_FORM, (args) => this.#forms.get(keyOf(args))?.reason),
    refusing(CANNOT_ASK, (args) => this.#unasked.get(keyOf(args))),
  ];

  /** The form to be named to the model. */
  get safeForm(): SafeForm | undefined {
    return [...this.#forms.values()][0];
  }

  /** Why a search is denied, with the file that it would read. */
  get deniedSearch(): string | undefined {
    return this.#denied;
  }

  /** The calls to decide: those that are refused, or all of them if none is. A hook has one answer for all its calls. */
  async screen(calls: readonly DryRunCall[], screening: Screening): Promise<readonly DryRunCall[]> {
    if (screening.canAsk && calls.length === 1 && !HAS_FORMS.has(calls[0]?.tool ?? "")) return calls;
    const refused: DryRunCall[] = [];
    for (const call of calls) if (await this.#isRefused(call, screening)) refused.push(call);
    return refused.length === 0 ? calls : refused;
  }

  async #isRefused(call: DryRunCall, { session, root, canAsk, cannotAsk }: Screening): Promise<boolean> {
    const explain = async (args: DryRunCall["arguments"]) =>
      (await session.explain({ id: SAFE_FORM, name: call.tool, arguments: args })).explanation;
    const explained = await explain(call.arguments);
    // Without an explanation the call fails before it is decided.
    if (explained === undefined) return true;
    const { action } = explained.decision;
    if (action === "allow") return false;
    const form = await safeFormOf({ call, explained, root }, explain);
    if (form !== undefined) this.#forms.set(keyOf(call.arguments), form);
    else if (action === "ask" && !canAsk) this.#unasked.set(keyOf(call.arguments), cannotAsk(explained));
    if (form === undefined && action === "deny" && call.tool === "grep")
      this.#denied ??= reasonOf({ call, explained });
    return form !== undefined || action === "deny" || !canAsk;
  }
}

/** Others have no safe form. */
const HAS_FORMS: ReadonlySet<string> = new Set(["bash", "grep"]);

function keyOf(args: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(args).sort(([one], [other]) => (one < other ? -1 : 1)));
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
