import { spawn } from "node:child_process";
import { once } from "node:events";
import { rgPath } from "@vscode/ripgrep";

/** The same ripgrep, started by Node, with its output discarded. */
export async function bareRipgrep(argv: readonly string[]): Promise<number> {
  const child = spawn(rgPath, ["--no-config", "--color=never", "--no-require-git", ...argv], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`rg ${argv.join(" ")} ended with ${code}`);
  return code;
}
