import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { defined, unlessThrown } from "@toolkeep/core/internal";
import { userName } from "../../terminal/user-name.ts";

/** Which machine a record comes from, and from which account. */
export interface Machine {
  readonly host: string;
  /** Missing where the system has no `/etc/machine-id`. */
  readonly id?: string;
  readonly account: string;
}

/**
 * Tells our ids from those of other programs. The id of the machine itself is confidential (machine-id(5)):
 * `systemd-id128 machine-id --app-specific=8f0b7c1e63d94c57a2f4d6e9510ab3c8 --uuid` prints what is sent.
 */
const APPLICATION = "8f0b7c1e63d94c57a2f4d6e9510ab3c8";

/** This machine, and the account of this process or another one. */
export function thisMachine(account: string = userName(), file = "/etc/machine-id"): Machine {
  return { host: hostname(), ...defined({ id: machineId(file) }), account };
}

/** As `sd_id128_get_machine_app_specific` has it: an HMAC, with the bits of a random UUID. */
function machineId(file: string): string | undefined {
  const text = unlessThrown(() => readFileSync(file, "utf8").trim()) ?? "";
  if (!/^[0-9a-f]{32}$/.test(text)) return undefined;
  const id = createHmac("sha256", Buffer.from(text, "hex"))
    .update(APPLICATION, "hex")
    .digest()
    .subarray(0, 16);
  id[6] = ((id[6] ?? 0) & 0x0f) | 0x40;
  id[8] = ((id[8] ?? 0) & 0x3f) | 0x80;
  return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
