import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { ToolkeepError } from "@toolkeep/core";
import { assertKnownKeys, invalidOption, isTrustedAddress } from "@toolkeep/core/internal";
import type { OutputStorage } from "./output-storage.ts";
import { type S3Credentials, signRequest } from "./sign-request.ts";

/** Options of `s3Outputs`. */
export interface S3OutputsOptions {
  /** Where the API is: `https://s3.eu-central-1.amazonaws.com`, or the address of another service that has it. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Goes before the name of each object, such as `outputs/`. Default: nothing. */
  readonly prefix?: string;
  /** Credentials, or a function that returns them, for those that expire. It is called for each request. */
  readonly credentials: S3Credentials | (() => S3Credentials | Promise<S3Credentials>);
}

const KNOWN = {
  ...{ endpoint: true, region: true, bucket: true, prefix: true, credentials: true },
} satisfies Record<keyof S3OutputsOptions, true>;

const NOTHING = createHash("sha256").digest("hex");
const ATTEMPTS_MS = [0, 200, 1_000];
const TIMEOUT_MS = 60_000;

/**
 * Keeps large outputs in a bucket of S3, or of any service with its API, an object for each. Needs the rights to get,
 * put, delete and list its objects.
 * @throws ToolkeepError `invalid_option` for an unknown option, and for an address or a name that cannot be used.
 *
 * @example
 * const outputs = s3Outputs({
 *   endpoint: "https://s3.eu-central-1.amazonaws.com",
 *   region: "eu-central-1",
 *   bucket: "agent-outputs",
 *   credentials: { accessKeyId, secretAccessKey },
 * });
 * const store = await openPostgresStore({ url, keys, outputs });
 */
export function s3Outputs(options: S3OutputsOptions): OutputStorage {
  assertKnownKeys(options, Object.keys(KNOWN), "output option");
  const base = baseOf(options);
  const send = (method: string, sha256: string, bytes?: Uint8Array) =>
    sendPatiently({ method, url: new URL(`${base}${sha256}`), bytes, options });
  return Object.freeze<OutputStorage>({
    async put(sha256, bytes) {
      await send("PUT", sha256, bytes);
    },
    async get(sha256) {
      const response = await send("GET", sha256);
      return response === undefined ? undefined : new Uint8Array(await response.arrayBuffer());
    },
    async has(sha256) {
      return (await send("HEAD", sha256)) !== undefined;
    },
    async delete(sha256) {
      await send("DELETE", sha256);
    },
  });
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Nothing in it has to be escaped in an address. */
const PREFIX = /^(?:[\w.~-]+\/)*[\w.~-]*$/;

function baseOf({ endpoint, bucket, region, prefix = "" }: S3OutputsOptions): string {
  if (!isEndpoint(endpoint))
    throw invalid("`endpoint` must begin with https:// (http:// only on this machine), and have no path");
  if (!BUCKET.test(bucket ?? "")) throw invalid(`${JSON.stringify(bucket)} is no name of a bucket`);
  if (!/^[\w-]+$/.test(region ?? "")) throw invalid("name the `region`, such as `eu-central-1`");
  if (!PREFIX.test(prefix) || prefix.split("/").some((part) => part === "." || part === ".."))
    throw invalid("`prefix` can have letters, digits and `_ . ~ - /`");
  return `${new URL(endpoint).origin}/${bucket}/${prefix}`;
}

function isEndpoint(endpoint: string): boolean {
  if (!isTrustedAddress(endpoint)) return false;
  const { pathname, search } = new URL(endpoint);
  return pathname === "/" && search === "";
}

function invalid(why: string): ToolkeepError {
  return invalidOption(`The outputs cannot be kept there: ${why}.`);
}

interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly bytes: Uint8Array | undefined;
  readonly options: S3OutputsOptions;
}

/** A service that does not answer, or is overloaded, is asked again. `undefined`: there is no such object. */
async function sendPatiently(sent: Sent): Promise<Response | undefined> {
  let failed: unknown;
  for (const waitMs of ATTEMPTS_MS) {
    if (waitMs > 0) await pause(waitMs);
    try {
      const response = await sendOnce(sent);
      if (response.ok) {
        if (sent.method !== "GET") await response.body?.cancel();
        return response;
      }
      const error = await errorOf(sent, response);
      if (response.status === 404 && sent.method !== "PUT") return undefined;
      if (response.status < 500 && response.status !== 429) throw new Refused(error);
      failed = new Error(error);
    } catch (error) {
      if (error instanceof Refused) throw error;
      failed = error;
    }
  }
  throw failed;
}

/** An answer that stays the same however often it is asked for. */
class Refused extends Error {}

async function sendOnce({ method, url, bytes, options }: Sent): Promise<Response> {
  const { region, credentials: given } = options;
  const credentials = typeof given === "function" ? await given() : given;
  const bodyHash = bytes === undefined ? NOTHING : createHash("sha256").update(bytes).digest("hex");
  const type = bytes === undefined ? {} : { "content-type": "application/octet-stream" };
  const headers = signRequest(
    { method, url, bodyHash, headers: type },
    { credentials, region, now: new Date() },
  );
  return fetch(url, {
    method,
    headers,
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(bytes === undefined ? {} : { body: Buffer.from(bytes) }),
  });
}

/** Without the rest of the answer: it repeats what was sent. */
async function errorOf({ method, options }: Sent, response: Response): Promise<string> {
  const code = /<Code>(\w{1,64})<\/Code>/.exec(await response.text())?.[1] ?? "no reason given";
  return `The storage of outputs answered ${response.status} (${code}) to ${method} in the bucket ${options.bucket}.`;
}
