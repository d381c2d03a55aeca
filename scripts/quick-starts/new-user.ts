import { mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../run-program.ts";

/** A user with nothing but a Node, and our packages from a registry of ours. */
export interface User {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How this machine reaches the registry. */
function networkSettings(): Readonly<Record<string, string>> {
  const names = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  const set = names.flatMap((name) => {
    const value = process.env[name] ?? process.env[name.toLowerCase()];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(set), npm_config_userconfig: join(homedir(), ".npmrc") };
}

export function newUser(
  folder: string,
  { node, registry, cache }: Readonly<Record<"node" | "registry" | "cache", string>>,
): User {
  const home = join(folder, "home");
  const bin = join(folder, "bin");
  for (const one of [home, bin, join(folder, "prefix")]) mkdirSync(one, { recursive: true });
  symlinkSync(node, join(bin, "node"));
  const path = [bin, join(folder, "prefix/bin"), process.env["PATH"]].join(":");
  const npm = {
    npm_config_registry: registry,
    npm_config_prefix: join(folder, "prefix"),
    npm_config_cache: cache,
  };
  return {
    folder,
    env: {
      ...networkSettings(),
      ...npm,
      HOME: home,
      PATH: path,
      LANG: "C.UTF-8",
      TOOLKEEP_DECIDER: "off",
      npm_config_yes: "true",
    },
  };
}

/** Runs shell lines with nothing of our own environment, and returns what they print. */
export async function typed(lines: string, cwd: string, { env }: User): Promise<string> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const { code, stdout, stderr } = await runProgram(["env", "-i", ...variables, "sh", "-ec", lines], { cwd });
  if (code !== 0) throw new Error(`${lines}\nended with ${code}\n${stdout}${stderr}`);
  return stdout;
}

export function emptyFolder({ folder }: User, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}
