import type { ServerEntry, ServerSettings } from "./server-entry.ts";

/**
 * What the settings by name say of one server. A project chooses the names of its servers, so what widens (`map`,
 * `files`, `plainHttp`) counts for the user's own alone; to switch a map off counts for all.
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
