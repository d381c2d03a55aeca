import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { ToolkeepError } from "@toolkeep/core";
import { parseSshPublicKey, verifySshSignature } from "@toolkeep/core/internal";
import { CommandError, usageError } from "../../terminal/command-error.ts";

/** Keeps a signature of a checkpoint from being taken for one of anything else. */
const NAMESPACE = "toolkeep-checkpoint";

/** Signs a text with an SSH key: a private one, or the public one of an agent or a security key. @throws CommandError */
export async function signWith(keyFile: string, text: string): Promise<string> {
  const child = spawn("ssh-keygen", ["-Y", "sign", "-n", NAMESPACE, "-f", keyFile], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output.stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    output.stderr += chunk;
  });
  child.stdin.on("error", () => {});
  child.stdin.end(text);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  }).catch((cause: Error) => {
    throw new CommandError(`ssh-keygen could not be started: ${cause.message}.`, {
      hint: "Install OpenSSH 8.2 or later, or leave --sign out.",
    });
  });
  if (code === 0 && output.stdout.includes("SSH SIGNATURE")) return output.stdout;
  throw new CommandError(`ssh-keygen did not sign with ${keyFile}: ${output.stderr.trim()}.`, {
    hint: "Use an Ed25519 key: ssh-keygen -t ed25519 -f audit-key",
  });
}

export function isSignedBy(publicKey: string, message: string, signature: string): Promise<boolean> {
  return verifySshSignature({ publicKey, namespace: NAMESPACE, message, signature });
}

/** The line of a file with one public key. @throws CommandError */
export async function readPublicKey(file: string): Promise<string> {
  const line = (await readText(file)).trim();
  try {
    parseSshPublicKey(line);
    return line;
  } catch (error) {
    if (!ToolkeepError.isInstance(error)) throw error;
    throw usageError(error.message, "Give the .pub file of the key that signs checkpoints.");
  }
}

/** @throws CommandError */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}
