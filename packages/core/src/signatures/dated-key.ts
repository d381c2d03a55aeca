import { invalidOption, type ToolkeepError } from "../contract/values/error.ts";
import { parseSshPublicKey, type SshPublicKey } from "./ssh-public-key.ts";

/** A public key of a person, and from when until when it signs for them. */
export interface DatedKey {
  /** As in a `.pub` file, without its dates. */
  readonly line: string;
  readonly key: SshPublicKey;
  /** In milliseconds. Both are part of the time. */
  readonly from?: number;
  readonly until?: number;
}

const OPTIONS = /^((?:valid-(?:after|before)="?[^\s",]*"?,?)+) /;
const OPTION = /^valid-(after|before)=("?)(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)\2$/;

/**
 * Reads a public key with the dates that OpenSSH writes before it in a file of allowed signers:
 * `valid-before=20261101Z ssh-ed25519 AAAA…`. The dates are in UTC, so that they mean the same on every machine.
 * @throws ToolkeepError `invalid_option`
 */
export function parseDatedKey(line: string): DatedKey {
  const [all = "", options = ""] = OPTIONS.exec(line) ?? [];
  const plain = line.slice(all.length);
  const dates: { from?: number; until?: number } = {};
  for (const option of options === "" ? [] : options.split(",")) {
    const [, edge, , year, month, day, hour = "00", minute = "00", second = "00", zone] =
      OPTION.exec(option) ?? [];
    const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
    const time = edge === undefined || zone === "" ? Number.NaN : Date.parse(`${iso}Z`);
    const name = edge === "after" ? "from" : "until";
    // `Date.parse` takes the 31st of a shorter month for a day of the next.
    if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(iso) || dates[name] !== undefined)
      throw invalid(option);
    dates[name] = time;
  }
  return { line: plain, key: parseSshPublicKey(plain), ...dates };
}

/** Why a key does not sign at a time, or `undefined` if it does. */
export function dateError({ from, until }: DatedKey, at: number): string | undefined {
  if (from !== undefined && at < from) return `is valid from ${new Date(from).toISOString()} on`;
  return until !== undefined && at > until ? `was valid until ${new Date(until).toISOString()}` : undefined;
}

function invalid(option: string): ToolkeepError {
  return invalidOption(
    `${JSON.stringify(option.slice(0, 40))} is not a date of a key. Write valid-before=20261101Z or valid-before=202611011800Z, in UTC; the same with valid-after.`,
  );
}
