/**
 * Where a credential is found: by names of environment values, never the values themselves. Where in the
 * request it goes is what the document says of the scheme it is for.
 */
export type Credential = BearerCredential | ApiKeyCredential | ClientCredential;

/** A token in the `Authorization` header: for schemes of http bearer, OAuth 2 and OpenID Connect. */
export interface BearerCredential {
  /** Name of the environment value that holds the token. */
  readonly bearer: string;
}

export interface ApiKeyCredential {
  /** Name of the environment value that holds the key. */
  readonly apiKey: string;
  /** Only for a document that has no schemes. */
  readonly in?: "header" | "query" | "cookie";
  readonly name?: string;
}

/** OAuth 2 client credentials: a token is asked for, and kept in memory until it expires. */
export interface ClientCredential {
  /** Name of the environment value that holds the client's id. */
  readonly clientId: string;
  /** Name of the environment value that holds the client's secret. */
  readonly clientSecret: string;
  /** Where tokens are asked for. Must be given unless the document names a place on the server's own host. */
  readonly tokenUrl?: string;
  /** Left out: those that the document says each operation needs. */
  readonly scopes?: readonly string[];
  /** How the secret is sent: `basic`, in a header, where it is left out; `post`, in the body. */
  readonly method?: "basic" | "post";
}

/** A credential with its place in a request. */
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

/** The names of environment values that a credential is made from. */
export function environmentOf(credential: CredentialUse): readonly string[] {
  return credential.kind === "client" ? [credential.idEnv, credential.secretEnv] : [credential.env];
}
