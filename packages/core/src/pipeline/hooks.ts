import type { Arguments, CheckedCall, ToolCall } from "../contract/call.ts";
import { errorText } from "../contract/error-text.ts";
import type { ExecutionInfo, Gate, HookContext, HookPoint, Observer, UpdateInfo } from "../contract/hooks.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Recorder } from "./recorder.ts";
import { shownArguments, shownValue } from "./shown-value.ts";
import type { Turn } from "./turn.ts";

/** What the listeners of an observer are told. */
type Told = Record<HookPoint, HookContext> & {
  readonly afterExecution: ExecutionInfo;
  readonly afterUpdate: UpdateInfo;
};

/** A call that observers are told of, as far as it was read. */
interface ToldCall {
  readonly request: ToolCall;
  readonly args?: Arguments;
  readonly argsText?: string;
}

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

  #notify(hookPoint: HookPoint, call: ToldCall, turn: Turn, told: Partial<HookContext>): void {
    let shown: HookContext | undefined;
    for (let index = 0; index < this.#observers.length; index += 1) {
      const observer = this.#observers[index] as Observer;
      if (observer[hookPoint] === undefined) continue;
      if (observer.raw === true)
        this.#tell(observer, hookPoint, turn, rawContext(hookPoint, call, turn, told));
      else {
        shown ??= new ShownContext(hookPoint, call, turn, told);
        this.#tell(observer, hookPoint, turn, shown);
      }
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
  call: ToldCall,
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

/** The same with secrets replaced; in the result when it is looked at, since most observers look at names and durations only. */
class ShownContext implements HookContext {
  /** One for all of them: with a getter of its own, each object would be of another shape to the engine. */
  static readonly #LATER: PropertyDescriptor & ThisType<ShownContext> = {
    get() {
      return this.#shownResult();
    },
    enumerable: true,
  };
  readonly hookPoint: HookPoint;
  readonly callId: string;
  readonly toolName: string;
  readonly parameters: unknown;
  readonly role: string;
  readonly workspace: string;
  readonly sessionId: string;
  declare readonly attempt?: number;
  declare readonly result?: unknown;
  declare readonly error?: string;
  declare readonly duration?: number;
  readonly #redactor: Redactor;
  #result: unknown;
  #isShown = false;

  constructor(hookPoint: HookPoint, call: ToldCall, turn: Turn, told: Partial<HookContext>) {
    const { redactor } = turn.runtime;
    this.hookPoint = hookPoint;
    this.callId = shownText(call.request.id, redactor);
    this.toolName = shownText(call.request.name, redactor);
    this.parameters =
      call.args === undefined || call.argsText === undefined
        ? shownValue(call.request.arguments, redactor)
        : shownArguments({ args: call.args, argsText: call.argsText }, redactor);
    this.role = turn.principal.role;
    this.workspace = turn.principal.workspace;
    this.sessionId = turn.runtime.sessionId;
    if (told.attempt !== undefined) this.attempt = told.attempt;
    if (told.duration !== undefined) this.duration = told.duration;
    if (told.error !== undefined) this.error = shownText(told.error, redactor);
    this.#redactor = redactor;
    this.#result = told.result;
    if ("result" in told) Object.defineProperty(this, "result", ShownContext.#LATER);
  }

  #shownResult(): unknown {
    if (!this.#isShown) this.#result = shownValue(this.#result, this.#redactor);
    this.#isShown = true;
    return this.#result;
  }
}

/** A model may give an id that is no text. */
function shownText(text: string, redactor: Redactor): string {
  return typeof text === "string" ? redactor.redact(text) : text;
}
