import { type Config, readConfig } from "@toolkeep/node/internal";
import { invalidConfig } from "../read-project.ts";

/** The settings about the audit log, of which only the administrator sets `audit`. */
export type AuditSettings = Config["audit"] & Pick<Config["journal"], "keepDays">;

/** @throws CommandError for an invalid configuration. */
export async function auditSettings(cwd: string): Promise<AuditSettings> {
  const reading = await readConfig({ cwd });
  const { config } = reading;
  if (config === undefined) throw invalidConfig("the audit log cannot be kept as it says", reading);
  return auditOf(config);
}

export function auditOf({ audit, journal: { keepDays } }: Pick<Config, "audit" | "journal">): AuditSettings {
  return { ...audit, ...(keepDays === undefined ? {} : { keepDays }) };
}
