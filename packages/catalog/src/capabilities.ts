import table from "./capabilities.json" with { type: "json" };

/** What a capability of the catalogue is. */
export interface Capability {
  /**
   * `read`: what it touches stays as it was. `files`: it changes the files that it names, and what is said of these
   * counts. `destroy`: it cannot be undone, or others have it.
   */
  readonly kind: "read" | "files" | "change" | "destroy" | "secret";
  /** Nothing of it leaves this machine. */
  readonly stays?: boolean;
  /** A sentence for people. */
  readonly says: string;
}

/** Every capability that entries name. */
export const CAPABILITIES = table as Readonly<Record<string, Capability>>;

/** A capability by its name; `undefined` if the catalogue has none. */
export function capabilityNamed(name: string): Capability | undefined {
  return Object.hasOwn(CAPABILITIES, name) ? CAPABILITIES[name] : undefined;
}

/** Whether one of these capabilities, with spaces between them, destroys. */
export function isDestruction(does: string): boolean {
  return does.split(" ").some((name) => capabilityNamed(name)?.kind === "destroy");
}

/** Whether these only look, or change nothing but the files that a command names. */
export function isKnownByFiles(does: readonly string[]): boolean {
  return does.every((name) => isSaying(name) || /^(?:read|files)$/.test(capabilityNamed(name)?.kind ?? ""));
}

/** Whether these capabilities, with spaces between them, only look at this machine. */
export function isLook(does: string): boolean {
  return does.split(" ").every((name) => {
    const { kind, stays } = capabilityNamed(name) ?? {};
    return isSaying(name) || (kind === "read" && stays === true);
  });
}

function isSaying(name: string): boolean {
  return name === "nothing" || name === "";
}
