import { DEFAULT_ROLE, type Principal } from "../../contract/people/principal.ts";
import { visible } from "./visible.ts";

const MOST_GROUPS = 8;

/**
 * On whose behalf a call is made, in words that are safe to print: `eve (groups support; tenant acme)`. `undefined` if
 * that is the user who is asked, or if the host application names no user.
 */
export function onBehalf(
  { user, groups = [], tenant, role }: Principal,
  asked: string | undefined,
): string | undefined {
  const isUsual = tenant === undefined && role === DEFAULT_ROLE;
  if (isUsual && (user === undefined ? groups.length === 0 : user === asked)) return undefined;
  const facts = [
    ...(groups.length === 0 ? [] : [`groups ${groupWords(groups)}`]),
    ...(tenant === undefined ? [] : [`tenant ${named(tenant)}`]),
    ...(role === DEFAULT_ROLE ? [] : [`role ${named(role)}`]),
  ];
  const who = user === undefined ? "an unnamed user" : named(user);
  return facts.length === 0 ? who : `${who} (${facts.join("; ")})`;
}

function groupWords(groups: readonly string[]): string {
  const more = groups.length > MOST_GROUPS ? [`${groups.length - MOST_GROUPS} more`] : [];
  return [...groups.slice(0, MOST_GROUPS).map((group) => named(group)), ...more].join(", ");
}

const PLAIN = /^[\p{L}\p{N}_.@+:/\\-]+$/u;

/** In quotes unless it is a plain name: people may have chosen it themselves. */
function named(name: string): string {
  return PLAIN.test(name) ? visible(name) : `"${visible(name).replaceAll('"', String.raw`\x22`)}"`;
}
