export { CAPABILITIES, type Capability, capabilityNamed, isDestruction } from "./capabilities.ts";
export { type AddedEntry, dialectOf, entryOf, programNames, readCommand } from "./catalog.ts";
export { type CheckedEntry, checkEntryText } from "./check-entry.ts";
export { type CommandEntry, isNameOf, type ProgramEntry } from "./entry.ts";
export type { Reading } from "./reading.ts";
export type { ServerDescription } from "./server-description.ts";
export { loadServers } from "./servers.ts";
export { readParsed } from "./statements/parsed-statements.ts";
export { readStatements } from "./statements/read-statements.ts";
