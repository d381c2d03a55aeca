/** Finds any of these runs of names in segments that are joined by slashes and stand between two. */
export function placesPattern(directories: readonly string[]): RegExp {
  return new RegExp(`/(?:${directories.map((place) => place.replaceAll(".", "\\.")).join("|")})/`);
}
