export function uriOf(path: string): string {
  return `file://${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** The path of a file; what is no file keeps its URI. */
export function pathOf(uri: string): string {
  try {
    const { protocol, host, pathname } = new URL(uri);
    return protocol === "file:" && host === "" ? decodeURIComponent(pathname) : uri;
  } catch {
    return uri;
  }
}
