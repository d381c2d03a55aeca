import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CompactJWSHeaderParameters,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from "jose";
import type { IdentitySettings } from "./identity-settings.ts";

const AUDIENCE = "https://tools.example.com/mcp";

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: JWK;
}

/** What a test changes of a token. A claim that is `undefined` is left out. */
export interface TokenChange {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<CompactJWSHeaderParameters>;
  readonly key?: SigningKey;
}

/** An OpenID provider on loopback, over real HTTP. */
export interface TestIssuer {
  readonly url: string;
  readonly settings: IdentitySettings;
  /** The paths that were asked for. */
  readonly asked: string[];
  readonly key: SigningKey;
  /** Answers requests for a path in another way; `undefined`: as usual again. */
  answer(path: string, answer: ((res: ServerResponse) => void) | undefined): void;
  /** Signs with a new key from now on, and publishes no other. */
  rotate(): Promise<void>;
  /** A valid token, with these changes. */
  token(change?: TokenChange): Promise<string>;
  close(): Promise<void>;
}

export const CONFIGURATION = "/.well-known/openid-configuration";
export const KEYS = "/keys";

export async function newKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  return { kid, privateKey, publicKey: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
}

export async function openIssuer(): Promise<TestIssuer> {
  let key = await newKey("one");
  const asked: string[] = [];
  const answers = new Map<string, (res: ServerResponse) => void>();
  const server = createServer((req, res) => {
    const { url: path = "" } = req;
    asked.push(path);
    const own = answers.get(path);
    if (own !== undefined) return own(res);
    if (path === CONFIGURATION) return sendJson(res, { issuer: url, jwks_uri: `${url}${KEYS}` });
    if (path === KEYS) return sendJson(res, { keys: [key.publicKey] });
    return res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    settings: { issuer: url, audience: AUDIENCE },
    asked,
    get key() {
      return key;
    },
    answer(path, answer) {
      if (answer === undefined) answers.delete(path);
      else answers.set(path, answer);
    },
    async rotate() {
      key = await newKey(`${key.kid}+`);
    },
    token: ({ claims = {}, header = {}, key: by = key } = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: url, aud: AUDIENCE, sub: "u-1", iat: now, exp: now + 300, client_id: "editor" };
      const payload = JSON.parse(JSON.stringify({ ...usual, ...claims })) as JWTPayload;
      return new SignJWT(payload)
        .setProtectedHeader({ alg: "ES256", kid: by.kid, typ: "at+jwt", ...header })
        .sign(by.privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(res: ServerResponse, body: unknown): void {
  res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}
