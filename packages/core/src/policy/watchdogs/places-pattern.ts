/** Finds any of these runs of names in segments that are joined by slashes and stand between two. */
export function placesPattern(places: readonly string[]): RegExp {
  return new RegExp(`/(?:${places.map((place) => place.replaceAll(".", "\\.")).join("|")})/`);
}
