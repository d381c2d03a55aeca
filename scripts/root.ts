import { join } from "node:path";

/** The repository's top folder. */
export const ROOT = join(import.meta.dirname, "..");
