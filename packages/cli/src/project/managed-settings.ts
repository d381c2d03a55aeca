import type { ConfigReading } from "@toolkeep/node/internal";
import { directories } from "@toolkeep/node/internal";
import { CommandError } from "../terminal/command-error.ts";

/** Settings that decide about calls. */
const DECIDING = [
  ...["policy", "mode", "modes", "allowed", "denied", "servers", "clients", "contain", "environment"],
  ...["sandbox.required", "identity.issuer"],
];

/** Whether an administrator sets anything that decides about calls; or one of these keys. */
export function isManagedBy(
  { origins }: Pick<ConfigReading, "origins">,
  keys: readonly string[] = DECIDING,
): boolean {
  return keys.flatMap((key) => origins.get(key) ?? []).some(({ layer }) => layer === "managed");
}

/**
 * `TOOLKEEP_REQUIRE_MANAGED` says that only an administrator's policy may decide. The launcher of a managed installation
 * sets it, so that a container which has the launcher and not the policy refuses every call. It can only narrow.
 * @throws CommandError where an administrator is required and sets nothing that decides.
 */
export function assertManaged(reading: Pick<ConfigReading, "origins">): void {
  const required = process.env["TOOLKEEP_REQUIRE_MANAGED"] ?? "";
  if (required === "" || isManagedBy(reading)) return;
  throw withoutManaged();
}

export function withoutManaged(): CommandError {
  const { managedConfig } = directories();
  return new CommandError(`A managed policy is required here, and ${managedConfig} sets none.`, {
    hint: `Write the managed policy to ${managedConfig}.`,
  });
}
