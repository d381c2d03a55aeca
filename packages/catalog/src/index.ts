export { CAPABILITIES, type Capability, capabilityNamed, isDestruction } from "./capabilities.ts";
export { entryOf, readCommand } from "./catalog.ts";
export type { CommandEntry, OptionEntry, ProgramEntry } from "./entry.ts";
export type { Reading } from "./reading.ts";
