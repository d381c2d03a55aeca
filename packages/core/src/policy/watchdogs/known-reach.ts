/** Other capabilities are defined by the host application: they may send data. */
export const STAYING = new Set([
  "fs.read",
  "fs.write",
  "fs.delete",
  "env.read",
  "git.add",
  "git.branch",
  "git.checkout",
  "git.commit",
  "git.diff",
  "git.log",
  "git.merge",
  "git.read",
  "git.reset",
  "git.stash",
  "git.status",
  "git.tag",
  "git.write",
]);

export const BRINGING = new Set([
  "net.fetch",
  "net.search",
  "git.clone",
  "git.fetch",
  "git.pull",
  "mcp.call",
  "unknown",
]);
