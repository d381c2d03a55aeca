import { fileURLToPath } from "node:url";
import { isTrustedAddress } from "@toolkeep/core/internal";
import { readOwnedFile } from "@toolkeep/node/internal";

const MOST_BYTES = 512 * 1024;
const LONGEST_MS = 5_000;

/** What an issuer publishes could not be read. The message is ours, and says why. */
export class IssuerError extends Error {
  override readonly name = "IssuerError";
}

/** Reads a JSON object of an issuer, from exactly this address, within limits of size and time. @throws IssuerError */
export async function readBoundedJson(address: string): Promise<Readonly<Record<string, unknown>>> {
  const text = new URL(address).protocol === "file:" ? await fileText(address) : await fetchedText(address);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new IssuerError("it is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new IssuerError("it is not a JSON object");
  return value as Readonly<Record<string, unknown>>;
}

async function fileText(address: string): Promise<string> {
  const found = await readOwnedFile(fileURLToPath(address), { mostBytes: MOST_BYTES });
  if (found?.text !== undefined) return found.text;
  throw new IssuerError(found?.error ?? "there is no such file");
}

async function fetchedText(address: string): Promise<string> {
  if (!isTrustedAddress(address)) throw new IssuerError("its address is not https");
  if (process.env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0")
    throw new IssuerError("NODE_TLS_REJECT_UNAUTHORIZED is 0, so anybody could answer in its name");
  let response: Response;
  try {
    // A redirect would choose another place for the keys.
    response = await fetch(address, {
      redirect: "manual",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(LONGEST_MS),
    });
  } catch {
    throw new IssuerError("it cannot be reached");
  }
  if (response.ok) return boundedText(response);
  await response.body?.cancel().catch(() => {});
  const isRedirect = response.status >= 300 && response.status < 400;
  throw new IssuerError(
    isRedirect ? "it redirects to another address" : `it answers with the status ${response.status}`,
  );
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of response.body ?? []) {
      size += piece.length;
      if (size > MOST_BYTES) break;
      pieces.push(piece);
    }
  } catch {
    throw new IssuerError("its answer does not end");
  }
  if (size > MOST_BYTES) throw new IssuerError(`its answer exceeds ${MOST_BYTES} bytes`);
  return Buffer.concat(pieces).toString("utf8");
}
