import { spawn } from "node:child_process";
import { invalidOption } from "@toolkeep/core/internal";

export interface SshSigning {
  /** A private key, or a `.pub` file whose private key an agent or a security key holds. */
  readonly keyFile: string;
  /** What the signature is for. */
  readonly namespace: string;
  readonly message: string;
}

const LONGEST_SIGNATURE = 16_384;

/**
 * Signs with `ssh-keygen -Y sign`: with a key file, an agent or a security key. It asks for a passphrase or a touch at
 * the terminal by itself.
 * @throws ToolkeepError `invalid_option` if there is no `ssh-keygen`, or it does not sign.
 */
export async function signWithSsh({ keyFile, namespace, message }: SshSigning): Promise<string> {
  const held = keyFile.endsWith(".pub") ? ["-U"] : [];
  const args = ["-Y", "sign", "-n", namespace, "-f", keyFile, ...held];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn("ssh-keygen", args, { stdio: ["pipe", "pipe", "pipe"] });
  let [signature, said] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    signature = `${signature}${text}`.slice(0, LONGEST_SIGNATURE);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = `${said}${text}`.slice(-1_000);
    // It may ask for a touch of the security key.
    if (process.stderr.isTTY && /presence|touch/i.test(text))
      process.stderr.write("Touch your security key.\n");
  });
  // A key that cannot be read ends it before it has read the message.
  child.stdin.on("error", () => undefined);
  child.on("error", (cause: NodeJS.ErrnoException) =>
    reject(
      invalidOption(
        cause.code === "ENOENT"
          ? "ssh-keygen is not installed. It is part of OpenSSH, and signs for you."
          : `ssh-keygen cannot be started: ${cause.message}`,
        { cause },
      ),
    ),
  );
  child.on("close", (code) => {
    if (code === 0 && signature !== "") resolve(signature);
    else reject(invalidOption(`ssh-keygen did not sign: ${lastLine(said)}`));
  });
  child.stdin.end(message);
  return promise;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() || "it did not say why.";
}
