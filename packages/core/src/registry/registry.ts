import type { RegisteredTool, Tool } from "../contract/tool/tool.ts";
import type { Diagnostic } from "../contract/values/diagnostic.ts";
import { assertKnownKeys } from "../contract/values/error.ts";
import { CODE_ORIGIN, type Origin, originName } from "../contract/values/origin.ts";
import { Binding, type ToolView } from "./binding.ts";
import {
  type Candidate,
  hasSameShape,
  insertCandidate,
  needsPreparation,
  place,
  type Slot,
  winnerOf,
} from "./candidates.ts";
import { type CriticalDiagnostic, RegistryDiagnostics } from "./critical-diagnostics.ts";
import { type AskAtInit, noApprover, prepareTool } from "./prepare-tool.ts";
import { LockedNames } from "./tool-names.ts";
import { type RegisterOptions, registrationOf } from "./tool-registration.ts";
import { validateTool } from "./validate-tool.ts";

export interface RegistryOptions {
  /** Configuration by tool name. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Names of variables that requirements may use besides the standard ones. Sessions give them their values. */
  readonly variables?: readonly string[];
}

/** What is bound to a name, and what it hides. */
export interface ToolInspection {
  readonly name: string;
  readonly origin: Origin;
  readonly shadows: readonly Origin[];
}

/** Tools by name, in layers. A change applies from the next turn on. */
export class Registry {
  /** The names of the variables that the host application declares. */
  readonly variables: readonly string[];
  readonly #config: NonNullable<RegistryOptions["config"]>;
  readonly #slots = new Map<string, Slot>();
  readonly #lockedNames = new LockedNames();
  readonly #fresh = new Set<Candidate>();
  /** Bindings that turns may still be using. */
  readonly #earlier = new Set<Binding>();
  readonly #retiring = new Set<Promise<void>>();
  readonly #diagnostics = new RegistryDiagnostics();
  #preparing: Promise<void> = Promise.resolve();
  #binding = new Binding(new Map(), new Map());

  constructor(options: RegistryOptions = {}) {
    this.#config = options.config ?? {};
    this.variables = Object.freeze([...(options.variables ?? [])]);
  }

  /** Never throws for a tool that does not fit: it is left out, and the diagnostic says why. */
  register(tool: Tool, options: RegisterOptions = {}): Diagnostic | undefined {
    const { origin = CODE_ORIGIN, locked = false } = { ...registrationOf(tool), ...options };
    const isLocked = locked && origin.layer === "bundled";
    const error =
      validateTool(tool, origin, this.variables) ??
      this.#nameError(tool, origin) ??
      (isLocked ? undefined : this.#imitationError(tool.name, origin));
    if (error !== undefined) return this.#diagnostics.refuse(error);
    this.#diagnostics.forget(tool.name, origin);
    const registered = Object.freeze(place(tool, origin));
    const candidate: Candidate = {
      registered,
      isLocked,
      isFit: true,
      isReady: !needsPreparation(tool, this.#config[tool.name]),
    };
    if (!candidate.isReady) this.#fresh.add(candidate);
    this.#slots.set(tool.name, insertCandidate(this.#slots.get(tool.name) ?? [], candidate));
    const lockError = this.#enforceLock(tool.name);
    this.#bind(tool.name);
    // First the tools with this name, then those whose name could be mistaken for it.
    const imitation = isLocked ? this.#refuseImitators(tool.name) : undefined;
    return lockError ?? imitation;
  }

  get(name: string): RegisteredTool | undefined {
    return this.#binding.get(name);
  }

  list(): readonly RegisteredTool[] {
    return this.#binding.list();
  }

  /** What a person asks for: each name, where its tool came from, and what it hides. */
  inspect(): readonly ToolInspection[] {
    return this.list().map(({ name, origin }) => ({
      name,
      origin,
      shadows: (this.#slots.get(name) ?? [])
        .map((one) => one.registered.origin)
        .filter((other) => other !== origin),
    }));
  }

  /**
   * Why registered tools cannot be used: `invalid_tool`, `invalid_name`, `invalid_schema`, `invalid_requirement`,
   * `invalid_config`, `unsupported_version`, `name_taken` (by another tool of the same layer), `name_locked` (it is a standard tool's, or
   * could be mistaken for one), `init_failed`, `dispose_failed`. Each has the `subject`, `origin` and `path` of its tool.
   */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics.all;
  }

  /**
   * What no session starts with: errors that are about a name that is another tool's, trust, the policy, or what a tool
   * requires, and any error of a tool that would shadow another one. Every other tool with an error is just off.
   */
  get critical(): readonly CriticalDiagnostic[] {
    return this.#diagnostics.critical((name, origin) => {
      const slot = this.#slots.get(name) ?? [];
      return slot.some((one) => one.isFit && one.registered.originName !== originName(origin));
    });
  }

  /** For a source of tools: what it could not register, in place of what it reported before. */
  report(source: object, diagnostics: readonly Diagnostic[]): void {
    this.#diagnostics.report(source, diagnostics);
  }

  /** Takes away the tool that has the name, or the one of that origin. What it hid comes back. */
  unregister(name: string, origin?: Origin): boolean {
    const slot = this.#slots.get(name) ?? [];
    if (origin !== undefined) this.#diagnostics.forget(name, origin);
    const gone =
      origin === undefined
        ? (winnerOf(slot) ?? slot.at(-1))
        : slot.find((one) => one.registered.originName === originName(origin));
    if (gone === undefined) return false;
    this.#diagnostics.forget(name, gone.registered.origin);
    this.#slots.set(
      name,
      slot.filter((one) => one !== gone),
    );
    if (slot.length === 1) this.#slots.delete(name);
    if (gone.isLocked) this.#lockedNames.delete(name);
    this.#bind(name);
    this.#retire(gone);
    return true;
  }

  /** Puts a new version in the place of the old one. If it does not fit, the old one stays. */
  reload(tool: Tool, options: RegisterOptions = {}): Diagnostic | undefined {
    const { origin = CODE_ORIGIN } = { ...registrationOf(tool), ...options };
    const error = validateTool(tool, origin, this.variables);
    if (error !== undefined) return this.#diagnostics.note(error);
    this.unregister(tool.name, origin);
    return this.register(tool, options);
  }

  clear(): void {
    for (const [name, slot] of this.#slots) {
      for (const { registered } of slot) this.unregister(name, registered.origin);
    }
  }

  /** Tools that still have to be prepared: versions, configuration, `init`, `activate`. */
  get needsPreparation(): boolean {
    return this.#fresh.size > 0;
  }

  /** Prepares what is new. A tool whose preparation fails is disabled, with a diagnostic. `ask` puts its questions to a person. */
  prepare(ask: AskAtInit = noApprover): Promise<void> {
    this.#preparing = this.#preparing.then(() => this.#prepareFresh(ask));
    return this.#preparing;
  }

  async #prepareFresh(ask: AskAtInit): Promise<void> {
    for (const candidate of this.#fresh) {
      const { name } = candidate.registered;
      const prepared = await prepareTool(candidate.registered, this.#config[name] ?? {}, ask);
      this.#fresh.delete(candidate);
      if (prepared.error === undefined) this.#replace(candidate, prepared.registered);
      else {
        candidate.isFit = false;
        const isInvalid = prepared.error.code !== "init_failed" && prepared.error.path !== "/config/enabled";
        if (isInvalid) this.#diagnostics.refuse(prepared.error);
        else this.#diagnostics.note(prepared.error);
        this.#bind(name);
      }
    }
  }

  /** Opens a turn. */
  view(): ToolView {
    this.#binding.open();
    return this.#binding;
  }

  /** Resolves when every tool that was removed has been disposed. */
  async settled(): Promise<void> {
    await Promise.all(this.#retiring);
  }

  #bind(name: string): void {
    const next = this.#binding.changed(name, winnerOf(this.#slots.get(name) ?? [])?.registered);
    const before = this.#binding;
    this.#binding = next;
    if (next === before) return;
    this.#earlier.add(before);
    void before.idle().then(() => this.#earlier.delete(before));
  }

  #nameError(tool: Tool, origin: Origin): Diagnostic | undefined {
    const twin = this.#slots.get(tool.name)?.find((one) => one.registered.origin.layer === origin.layer);
    if (twin === undefined) return undefined;
    const message = `The name is taken in this layer by ${twin.registered.originName}; the first one stays.`;
    return { code: "name_taken", subject: tool.name, origin, path: "/name", message };
  }

  #imitationError(name: string, origin: Origin): Diagnostic | undefined {
    const locked = this.#lockedNames.imitatedBy(name);
    if (locked === undefined) return undefined;
    const message = `The name could be taken for ${JSON.stringify(locked)}, which is locked.`;
    return { code: "name_locked", subject: name, origin, path: "/name", message };
  }

  /** Those that came before the lock. */
  #refuseImitators(locked: string): Diagnostic | undefined {
    this.#lockedNames.add(locked);
    const reports: Diagnostic[] = [];
    for (const [name, slot] of this.#slots) {
      for (const one of slot.filter(({ isFit, isLocked }) => isFit && !isLocked)) {
        const error = this.#imitationError(name, one.registered.origin);
        if (error === undefined) continue;
        one.isFit = false;
        reports.push(this.#diagnostics.refuse(error));
        this.#bind(name);
      }
    }
    return reports[0];
  }

  /** A tool with a locked name must have the locked parameters, whichever was registered first. */
  #enforceLock(name: string): Diagnostic | undefined {
    const slot = this.#slots.get(name) ?? [];
    const lock = slot.find((one) => one.isLocked);
    const offenders = slot.filter(
      (one) => lock !== undefined && one.isFit && !hasSameShape(one.registered.tool, lock.registered.tool),
    );
    const message = "The name is locked: a tool may stand in for it only with the same parameters.";
    const reports = offenders.map((offender) => {
      offender.isFit = false;
      const { origin } = offender.registered;
      const about = { code: "name_locked", subject: name, origin };
      return this.#diagnostics.refuse({ ...about, path: "/inputSchema", message });
    });
    return reports[0];
  }

  #replace(candidate: Candidate, registered: RegisteredTool): void {
    const slot = this.#slots.get(registered.name) ?? [];
    const prepared = { ...candidate, registered: Object.freeze(registered), isReady: true };
    this.#slots.set(
      registered.name,
      slot.map((one) => (one === candidate ? prepared : one)),
    );
    this.#bind(registered.name);
  }

  /** Waits for the turns that may still be using it, then puts the tool away. */
  #retire({ registered }: Candidate): void {
    const { tool, name, origin } = registered;
    if (tool.deactivate === undefined && tool.dispose === undefined) return;
    const inFlight = [...this.#earlier].map((binding) =>
      binding.idle().then(() => this.#earlier.delete(binding)),
    );
    const retiring = Promise.all(inFlight)
      .then(() => tool.deactivate?.())
      .then(() => tool.dispose?.())
      .catch((thrown: unknown) => {
        const about = { code: "dispose_failed", subject: name, origin };
        this.#diagnostics.note({ ...about, path: "/dispose", message: String(thrown) });
      })
      .finally(() => this.#retiring.delete(retiring));
    this.#retiring.add(retiring);
  }
}

/**
 * Makes a registry: tools by name, in layers, that can change while sessions run. Most applications pass `tools` to
 * `createSession` instead.
 *
 * @example
 * const registry = createRegistry();
 * registry.register(weather);
 * const session = await createSession({ registry });
 */
export function createRegistry(options: RegistryOptions = {}): Registry {
  assertKnownKeys(options, ["config", "variables"] satisfies (keyof RegistryOptions)[], "registry option");
  return new Registry(options);
}
