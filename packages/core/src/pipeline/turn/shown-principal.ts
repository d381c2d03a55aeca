import type { Principal } from "../../contract/people/principal.ts";
import { mapStrings } from "../../redaction/map-strings.ts";
import type { Turn } from "./turn.ts";

/** On whose behalf a turn runs, as a person is told. */
export function shownPrincipal({ principal, runtime }: Pick<Turn, "principal" | "runtime">): Principal {
  return mapStrings(principal, (text) => runtime.redactor.redact(text)) as Principal;
}
