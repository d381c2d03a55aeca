import type { CheckedCall, ToolCall } from "../contract/call.ts";
import { errorText } from "../contract/error-text.ts";
import type { ExecutionInfo, Gate, HookContext, HookPoint, Observer, UpdateInfo } from "../contract/hooks.ts";
import type { Recorder } from "./recorder.ts";
import { shownValue } from "./shown-value.ts";
import type { Turn } from "./turn.ts";

/** What the listeners of an observer are told. */
type Told = Record<HookPoint, HookContext> & {
  readonly afterExecution: ExecutionInfo;
  readonly afterUpdate: UpdateInfo;
};

/** The gates and observers of a session. Costs nothing where there are none. */
export class Hooks {
  readonly gates: readonly Gate[];
  readonly #observers: readonly Observer[];
  readonly #recorder: Recorder;

  constructor(gates: readonly Gate[], observers: readonly Observer[], recorder: Recorder) {
    this.gates = gates;
    this.#observers = observers;
    this.#recorder = recorder;
  }

  /** Whether there is anybody to tell. */
  get isObserved(): boolean {
    return this.#observers.length > 0;
  }

  /** Whether an observer is told what a tool threw. */
  get isToldOfErrors(): boolean {
    return this.#observers.some(({ onToolError }) => onToolError !== undefined);
  }

  beforeAttempt(call: CheckedCall, turn: Turn, attempt: number): void {
    this.#notify("onBeforeTool", call, turn, { attempt });
  }

  afterAttempt(
    call: CheckedCall,
    turn: Turn,
    told: { attempt: number; result: unknown; duration: number },
  ): void {
    this.#notify("onAfterTool", call, turn, told);
  }

  attemptFailed(
    call: CheckedCall,
    turn: Turn,
    told: { attempt: number; error: string; duration: number },
  ): void {
    this.#notify("onToolError", call, turn, told);
  }

  permissionDenied(call: CheckedCall, turn: Turn, reason: string): void {
    this.#notify("onPermissionDenied", call, turn, { error: reason });
  }

  budgetExceeded(call: CheckedCall, turn: Turn): void {
    this.#notify("onTokenBudgetExceeded", call, turn, {});
  }

  toolsDisabled(call: ToolCall, turn: Turn): void {
    this.#notify("onToolsDisabled", { request: call }, turn, {});
  }

  afterExecution(turn: Turn, info: ExecutionInfo): void {
    for (const observer of this.#observers) this.#tell(observer, "afterExecution", turn, info);
  }

  /** Whether an update may be shown. */
  allowsUpdate(update: UpdateInfo): boolean {
    return this.gates.every((gate) => {
      try {
        return gate.beforeUpdate?.(update) ?? true;
      } catch {
        return false;
      }
    });
  }

  afterUpdate(turn: Turn, update: UpdateInfo): void {
    for (const observer of this.#observers) this.#tell(observer, "afterUpdate", turn, update);
  }

  #notify(
    hookPoint: HookPoint,
    call: { readonly request: ToolCall; readonly args?: unknown },
    turn: Turn,
    told: Partial<HookContext>,
  ): void {
    let shown: HookContext | undefined;
    for (let index = 0; index < this.#observers.length; index += 1) {
      const observer = this.#observers[index] as Observer;
      if (observer[hookPoint] === undefined) continue;
      const raw = (): HookContext => rawContext(hookPoint, call, turn, told);
      if (observer.raw !== true) shown ??= shownContext(raw(), turn);
      this.#tell(observer, hookPoint, turn, observer.raw === true ? raw() : (shown as HookContext));
    }
  }

  #tell(observer: Observer, hook: keyof Told, turn: Turn, told: Told[keyof Told]): void {
    try {
      const listener = observer[hook] as ((told: Told[keyof Told]) => void | Promise<void>) | undefined;
      const pending = listener?.call(observer, told);
      if (pending instanceof Promise)
        pending.catch((error: unknown) => this.#report(observer, hook, turn, error));
    } catch (error) {
      this.#report(observer, hook, turn, error);
    }
  }

  /** What an observer does wrong is written down and changes nothing. */
  #report(observer: Observer, hook: string, turn: Turn, error: unknown): void {
    const said = errorText(error);
    this.#recorder.write(turn.id, { type: "observer-fail", observer: observer.name, hook, error: said });
  }
}

function rawContext(
  hookPoint: HookPoint,
  call: { readonly request: ToolCall; readonly args?: unknown },
  turn: Turn,
  told: Partial<HookContext>,
): HookContext {
  return {
    ...told,
    hookPoint,
    callId: call.request.id,
    toolName: call.request.name,
    parameters: call.args ?? call.request.arguments,
    role: turn.principal.role,
    workspace: turn.principal.workspace,
    sessionId: turn.runtime.sessionId,
  };
}

/** The same with secrets replaced, when it is looked at: most observers look at names and durations only. */
function shownContext(raw: HookContext, turn: Turn): HookContext {
  const { redactor } = turn.runtime;
  const text = (given: string) => (typeof given === "string" ? redactor.redact(given) : given);
  const shown = {
    ...raw,
    callId: text(raw.callId),
    toolName: text(raw.toolName),
    ...(raw.error === undefined ? {} : { error: text(raw.error) }),
  };
  showLater(shown, "parameters", () => shownValue(raw.parameters, redactor));
  if ("result" in raw) showLater(shown, "result", () => shownValue(raw.result, redactor));
  return shown;
}

/** Replaces a field by one that is made once, when it is first read. */
function showLater(context: HookContext, field: "parameters" | "result", make: () => unknown): void {
  const get = () => {
    const value = make();
    Object.defineProperty(context, field, { value, enumerable: true });
    return value;
  };
  Object.defineProperty(context, field, { get, enumerable: true, configurable: true });
}
