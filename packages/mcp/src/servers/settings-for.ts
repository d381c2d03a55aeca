import type { ServerEntry, ServerSettings } from "./server-entry.ts";

/**
 * The settings of one server. A project chooses the names of its servers, so what widens (`map`, `files`, `plainHttp`)
 * applies to the user's own servers only; switching a map off applies to all.
 */
export function settingsFor(
  { name, isOfProject }: ServerEntry,
  settings: Readonly<Record<string, ServerSettings>> = {},
): ServerSettings {
  const own = (Object.hasOwn(settings, name) ? settings[name] : undefined) ?? {};
  if (!isOfProject) return own;
  const { map, files: _files, plainHttp, ...narrow } = own;
  return {
    ...narrow,
    ...(map === false ? { map } : {}),
    ...(plainHttp === false ? { plainHttp } : {}),
  };
}
