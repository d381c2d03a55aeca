import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

/** Loaded before everything else. Where nothing can be written, nothing is kept. */
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/compiled"));
// Programs that are killed keep nothing at their end.
setTimeout(flushCompileCache, 1_000).unref();
