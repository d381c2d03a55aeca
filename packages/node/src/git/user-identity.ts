import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const TIMEOUT_MS = 2_000;

/**
 * The name and address that the user's own git configuration gives to commits, as a configuration with nothing else in
 * it; `undefined` if there is none. Git reads it, so that included files apply. Everything else of that configuration,
 * such as credentials and programs to run, stays outside of the sandbox.
 */
export async function userIdentity(git: string, home: string): Promise<string | undefined> {
  const values = await Promise.all(
    ["name", "email"].map(async (key) => {
      const value = await globalValue(git, home, `user.${key}`);
      return value === undefined ? [] : [`\t${key} = ${quoted(value)}\n`];
    }),
  );
  const lines = values.flat();
  return lines.length === 0 ? undefined : `[user]\n${lines.join("")}`;
}

async function globalValue(git: string, home: string, key: string): Promise<string | undefined> {
  const args = ["config", "--global", "--includes", "--null", "--get", key];
  try {
    const env = { HOME: home, PATH: "/usr/bin:/bin", GIT_CONFIG_NOSYSTEM: "1" };
    const { stdout } = await run(git, args, { cwd: "/", env, timeout: TIMEOUT_MS, maxBuffer: 4_096 });
    const value = stdout.replace(/\0$/, "");
    return /^[^\p{Cc}]{1,256}$/u.test(value) ? value : undefined;
  } catch {
    // Not set, or git cannot read the configuration.
    return undefined;
  }
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
