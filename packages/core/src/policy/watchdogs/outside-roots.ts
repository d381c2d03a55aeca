/** Folders that hold programs or what was put aside; nobody keeps private data there. */
const OPEN_PLACES =
  /^\/(?:usr|bin|sbin|lib|lib32|lib64|tmp|var\/tmp|private\/tmp|dev\/(?:null|zero|u?random|std\w+|tty|fd))(?:\/|$)/;

/**
 * Whether a path lies outside of all roots, as far as its words tell. Where no root is known, nothing
 * does. A path that is not absolute lies outside when it climbs out of where it starts.
 */
export function isOutside(path: string, roots: readonly string[]): boolean {
  if (roots.length === 0) return false;
  if (!isAbsolute(path)) return path.startsWith("~") || climbsOut(path);
  const clean = withoutDots(path);
  return !roots.some((root) => isBeneath(clean, root)) && !OPEN_PLACES.test(clean);
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^(?:\\|[A-Za-z]:[/\\])/.test(path);
}

function isBeneath(path: string, root: string): boolean {
  if (!path.startsWith(root)) return false;
  return path.length === root.length || root.endsWith("/") || path[root.length] === "/";
}

function climbsOut(path: string): boolean {
  let depth = 0;
  for (const segment of path.split(/[/\\]/)) {
    if (segment === "..") depth -= 1;
    else if (segment !== "" && segment !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

function withoutDots(path: string): string {
  if (!path.includes("..") && !path.includes("/./")) return path;
  const kept: string[] = [];
  for (const segment of path.split(/[/\\]/)) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return `/${kept.join("/")}`;
}
