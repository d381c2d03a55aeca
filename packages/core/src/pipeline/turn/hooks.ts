import type { Principal } from "../../contract/people/principal.ts";
import type { Arguments } from "../../contract/policy/policy-call.ts";
import type {
  ExecutionInfo,
  Gate,
  HookContext,
  HookPoint,
  Observer,
  ToolCall,
  UpdateInfo,
} from "../../contract/stages/call.ts";
import type { Redactor } from "../../contract/store/store.ts";
import { errorText } from "../../contract/values/error.ts";
import { unlessThrown } from "../../contract/values/unless-thrown.ts";
import type { Recorder } from "../record/recorder.ts";
import { LateFields } from "./late-fields.ts";
import { shownArguments, shownValue } from "./shown-value.ts";

/** A turn as far as observers are told of it. */
export interface ObservedTurn {
  readonly id: string;
  readonly principal: Principal;
  readonly runtime: { readonly sessionId: string; readonly redactor: Redactor };
}

/** What the listeners of an observer are told. */
type Told = Record<HookPoint, HookContext> & {
  readonly afterExecution: ExecutionInfo;
  readonly afterUpdate: UpdateInfo;
};

/** A call that observers are told of, as far as it was read. */
interface ObservedCall {
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
  get hasErrorListeners(): boolean {
    return this.#observers.some(({ onToolError }) => onToolError !== undefined);
  }

  afterExecution(turn: ObservedTurn, info: ExecutionInfo): void {
    for (const observer of this.#observers) this.#tell(observer, "afterExecution", turn, info);
  }

  /** Whether an update may be shown. */
  allowsUpdate(update: UpdateInfo): boolean {
    return this.gates.every((gate) => unlessThrown(() => gate.beforeUpdate?.(update) ?? true) ?? false);
  }

  afterUpdate(turn: ObservedTurn, update: UpdateInfo): void {
    for (const observer of this.#observers) this.#tell(observer, "afterUpdate", turn, update);
  }

  notify(
    hookPoint: HookPoint,
    call: ObservedCall,
    turn: ObservedTurn,
    told: Pick<HookContext, "attempt" | "result" | "error" | "duration"> = {},
  ): void {
    let shown: HookContext | undefined;
    for (let index = 0; index < this.#observers.length; index += 1) {
      const observer = this.#observers[index] as Observer;
      if (observer[hookPoint] === undefined) continue;
      if (observer.raw === true)
        this.#tell(observer, hookPoint, turn, rawContext(hookPoint, call, turn, told));
      else {
        shown ??= LateFields.shown(new ShownContext(hookPoint, call, turn, told)) as HookContext;
        this.#tell(observer, hookPoint, turn, shown);
      }
    }
  }

  #tell(observer: Observer, hook: keyof Told, turn: ObservedTurn, told: Told[keyof Told]): void {
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
  #report(observer: Observer, hook: string, turn: ObservedTurn, error: unknown): void {
    const said = errorText(error);
    this.#recorder.write(turn.id, { type: "observer-fail", observer: observer.name, hook, error: said });
  }
}

function rawContext(
  hookPoint: HookPoint,
  call: ObservedCall,
  turn: ObservedTurn,
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

/** The same with secrets replaced, where it is looked at: most observers look at names and durations only. */
class ShownContext extends LateFields implements Record<keyof HookContext, unknown> {
  readonly #hookPoint: HookPoint;
  readonly #call: ObservedCall;
  /** The object of the request is the host application's, which may use it again. */
  readonly #callId: string;
  readonly #toolName: string;
  readonly #turn: ObservedTurn;
  readonly #told: Partial<HookContext>;
  #parameters: { readonly shown: unknown } | undefined;
  #result: { readonly shown: unknown } | undefined;

  constructor(hookPoint: HookPoint, call: ObservedCall, turn: ObservedTurn, told: Partial<HookContext>) {
    super();
    this.#hookPoint = hookPoint;
    this.#call = call;
    this.#callId = call.request.id;
    this.#toolName = call.request.name;
    this.#turn = turn;
    this.#told = told;
  }

  protected names(): readonly string[] {
    return [...NAMES, ...OPTIONAL.filter((name) => name in this.#told)];
  }

  get hookPoint(): HookPoint {
    return this.#hookPoint;
  }

  get callId(): string {
    return shownText(this.#callId, this.#redactor);
  }

  get toolName(): string {
    return shownText(this.#toolName, this.#redactor);
  }

  get parameters(): unknown {
    const { args, argsText, request } = this.#call;
    this.#parameters ??= {
      shown:
        args === undefined || argsText === undefined
          ? shownValue(request.arguments, this.#redactor)
          : shownArguments({ args, argsText }, this.#redactor),
    };
    return this.#parameters.shown;
  }

  get role(): string {
    return this.#turn.principal.role;
  }

  get workspace(): string {
    return this.#turn.principal.workspace;
  }

  get sessionId(): string {
    return this.#turn.runtime.sessionId;
  }

  get attempt(): number | undefined {
    return this.#told.attempt;
  }

  get result(): unknown {
    this.#result ??= { shown: shownValue(this.#told.result, this.#redactor) };
    return this.#result.shown;
  }

  get error(): string | undefined {
    return this.#told.error === undefined ? undefined : shownText(this.#told.error, this.#redactor);
  }

  get duration(): number | undefined {
    return this.#told.duration;
  }

  get #redactor(): Redactor {
    return this.#turn.runtime.redactor;
  }
}

const NAMES = [
  "hookPoint",
  "callId",
  "toolName",
  "parameters",
  "role",
  "workspace",
  "sessionId",
] as const satisfies readonly (keyof HookContext)[];
const OPTIONAL = ["attempt", "result", "error", "duration"] as const satisfies readonly (keyof HookContext)[];

/** A model may give an id that is no text. */
function shownText(text: string, redactor: Redactor): string {
  return typeof text === "string" ? redactor.redact(text) : text;
}
