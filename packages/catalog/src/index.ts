export { CAPABILITIES, type Capability, capabilityNamed, isDestruction } from "./capabilities.ts";
export { type AddedEntry, dialectOf, entryOf, programNames, readCommand } from "./catalog.ts";
export { type CheckedEntry, checkEntryText } from "./check-entry.ts";
export { type CommandEntry, isNameOf, type OptionEntry, type ProgramEntry } from "./entry.ts";
export type { Reading } from "./reading.ts";
export type { EntryError } from "./schema-errors.ts";
