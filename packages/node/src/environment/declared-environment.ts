import { envRead } from "@toolkeep/core/internal";
import type { Environment, Grant } from "@toolkeep/core/ports";

/**
 * The environment as one call may read it: a declared name at a time, never as a whole. A name that every
 * object has, such as `constructor`, is set only if the environment sets it.
 * @throws ToolFailure `out_of_scope` from `read`, for a name the call may not read.
 */
export function declaredEnvironment(
  grant: Grant,
  values: Readonly<Record<string, string | undefined>>,
): Environment {
  return Object.freeze<Environment>({
    read(name) {
      // Made a text once: what is checked must be what is read.
      const key = String(name);
      grant.check(envRead(key));
      return Object.hasOwn(values, key) ? values[key] : undefined;
    },
  });
}
