import { z } from "zod";

/** The arguments as a zod schema, for contenders that validate only, or fastest, with zod. */
export const findTextZod = z.strictObject({
  path: z.string(),
  pattern: z.string(),
  limit: z.int().min(1),
  caseSensitive: z.boolean(),
  mode: z.enum(["files", "lines", "count"]),
});
