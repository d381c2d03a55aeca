/** The absolute path, with `.` and `..` resolved by their text alone; `undefined` if that is impossible, or for a NUL. */
export function lexicalPath(path: string, root: string | undefined): string | undefined {
  if (path.charCodeAt(0) === 47 && !NOT_CANONICAL.test(path)) return path;
  if (path === "" || path.includes("\0")) return undefined;
  const absolute = path.startsWith("/") ? path : root === undefined ? undefined : `${root}/${path}`;
  if (absolute === undefined) return undefined;
  const kept: string[] = [];
  for (const part of absolute.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `/${kept.join("/")}`;
}

const NOT_CANONICAL = /\/\/|\/\.\.?(?:\/|$)|.\/$|\0/;
