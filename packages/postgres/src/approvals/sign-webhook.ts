import { createHmac } from "node:crypto";
import { invalidOption } from "@toolkeep/core/internal";

/** What is signed. */
export interface WebhookMessage {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a message, signed as Standard Webhooks says. */
export function signWebhook(secret: Buffer, { id, timestamp, body }: WebhookMessage): Record<string, string> {
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`,
  };
}

const SECRET = /^whsec_([A-Za-z0-9+/]+=*)$/;
const LEAST_BYTES = 24;
const MOST_BYTES = 64;

/** The bytes of a secret. @throws ToolkeepError `invalid_option`, without the secret. */
export function secretBytes(secret: string): Buffer {
  const bytes = Buffer.from(SECRET.exec(secret)?.[1] ?? "", "base64");
  if (bytes.length >= LEAST_BYTES && bytes.length <= MOST_BYTES) return bytes;
  throw invalidOption(
    `The \`secret\` of a webhook must be "whsec_" and the Base64 of ${LEAST_BYTES} to ${MOST_BYTES} random bytes. Make one: echo "whsec_$(openssl rand -base64 32)".`,
  );
}
