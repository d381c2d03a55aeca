import type { Diagnostic } from "@toolkeep/core";
import type { WrittenSettings } from "./check-settings.ts";
import type { ServerSettings } from "./server-entry.ts";

/** The default time limits of a call. */
export const DEFAULT_TIMES = { timeoutMs: 30_000, longestMs: 600_000 } as const;

interface Narrowed {
  readonly servers: Readonly<Record<string, ServerSettings>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** The user's settings, narrowed by a project's. What would widen them is ignored with a diagnostic. */
export function narrowSettings(user: WrittenSettings, project: WrittenSettings, file: string): Narrowed {
  const diagnostics: Diagnostic[] = [];
  const passedOver = (server: string | undefined, what: string) =>
    diagnostics.push({
      file,
      ...(server === undefined ? {} : { subject: server }),
      code: "setting_ignored",
      message: `${what} is ignored: a project may not set it, because it widens permissions.`,
      hint: "Set it in the user's settings file.",
    });
  if (project.maps.length > 0) passedOver(undefined, "`maps`");
  const names = new Set([...Object.keys(user.servers), ...Object.keys(project.servers)]);
  const servers = [...names].map((name) => {
    const own = Object.hasOwn(user.servers, name) ? user.servers[name] : undefined;
    const theirs = Object.hasOwn(project.servers, name) ? project.servers[name] : undefined;
    return [
      name,
      theirs === undefined ? (own ?? {}) : narrowed(own ?? {}, theirs, (what) => passedOver(name, what)),
    ] as const;
  });
  return { servers: Object.fromEntries(servers), diagnostics };
}

function narrowed(
  own: ServerSettings,
  theirs: ServerSettings,
  passOver: (what: string) => void,
): ServerSettings {
  if (theirs.files !== undefined) passOver("`files`");
  // Without a map, rules on what a tool does no longer match it.
  if (theirs.map !== undefined) passOver("`map`");
  if (theirs.plainHttp === true && own.plainHttp !== true) passOver("`plainHttp`");
  if (theirs.isPrivate === false && own.isPrivate) passOver("`isPrivate`");
  // Which of two sandboxes is narrower cannot be decided automatically.
  if (theirs.sandbox !== undefined && own.sandbox !== undefined) passOver("`sandbox`");
  const times = (["timeoutMs", "longestMs"] as const).flatMap((key) => {
    const most = own[key] ?? DEFAULT_TIMES[key];
    const time = theirs[key];
    if (time === undefined) return [];
    if (time > most) passOver(`\`${key}\``);
    return [[key, Math.min(time, most)] as const];
  });
  const sandbox = own.sandbox ?? theirs.sandbox;
  return {
    ...own,
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(theirs.plainHttp === false ? { plainHttp: false } : {}),
    ...(theirs.isPrivate === true ? { isPrivate: true } : {}),
    ...Object.fromEntries(times),
  };
}
