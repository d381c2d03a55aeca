import { createHmac, hash } from "node:crypto";

/** Who sends requests to a storage. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of credentials that expire. */
  readonly sessionToken?: string;
}

interface UnsignedRequest {
  readonly method: string;
  /** Its path has nothing that would have to be escaped, and it has no query. */
  readonly url: URL;
  /** The SHA-256 of the body, in hexadecimal. */
  readonly bodyHash: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface SigningOptions {
  readonly credentials: S3Credentials;
  readonly region: string;
  readonly now: Date;
}

/** The headers of a request with its signature: AWS Signature Version 4, for the service `s3`. */
export function signRequest(
  { method, url, bodyHash, headers = {} }: UnsignedRequest,
  { credentials, region, now }: SigningOptions,
): Readonly<Record<string, string>> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const date = time.slice(0, 8);
  const { sessionToken } = credentials;
  const sent: Readonly<Record<string, string>> = {
    ...headers,
    "x-amz-content-sha256": bodyHash,
    "x-amz-date": time,
    ...(sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken }),
  };
  const signed = Object.entries({ ...sent, host: url.host }).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const canonical = [method, url.pathname, "", lines, names, bodyHash].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, hash("sha256", canonical)].join("\n");
  const key = [date, region, "s3", "aws4_request"].reduce<Buffer>(
    hmac,
    Buffer.from(`AWS4${credentials.secretAccessKey}`),
  );
  const signature = hmac(key, text).toString("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...sent, authorization };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
