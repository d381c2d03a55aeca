/** The environment variables of a credential, never their values. The document says where it is sent. */
export type Credential = BearerCredential | ApiKeyCredential | ClientCredential;

/** A token in the `Authorization` header: for schemes of http bearer, OAuth 2 and OpenID Connect. */
interface BearerCredential {
  /** Name of the environment variable with the token. */
  readonly bearer: string;
}

export interface ApiKeyCredential {
  /** Name of the environment variable with the key. */
  readonly apiKey: string;
  /** Only for a document without schemes. */
  readonly in?: "header" | "query" | "cookie";
  readonly name?: string;
}

/** OAuth 2 client credentials: a token is requested, and kept in memory until it expires. */
export interface ClientCredential {
  /** Name of the environment variable with the client's id. */
  readonly clientId: string;
  /** Name of the environment variable with the client's secret. */
  readonly clientSecret: string;
  /** The token endpoint. Required unless the document names one on the server's own host. */
  readonly tokenUrl?: string;
  /** Default: the scopes that the document lists for each operation. */
  readonly scopes?: readonly string[];
  /** How the secret is sent: `basic`, in a header (default), or `post`, in the body. */
  readonly method?: "basic" | "post";
}

/** A credential with its location in a request. */
export type CredentialUse =
  | { readonly kind: "bearer"; readonly env: string }
  | {
      readonly kind: "apiKey";
      readonly env: string;
      readonly in: "header" | "query" | "cookie";
      readonly name: string;
    }
  | {
      readonly kind: "client";
      readonly idEnv: string;
      readonly secretEnv: string;
      readonly tokenUrl: string;
      readonly scopes?: readonly string[];
      readonly method: "basic" | "post";
    };

/** The names of the environment variables of a credential. */
export function environmentOf(credential: CredentialUse): readonly string[] {
  return credential.kind === "client" ? [credential.idEnv, credential.secretEnv] : [credential.env];
}
