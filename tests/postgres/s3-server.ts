import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3Credentials, S3OutputsOptions } from "@toolkeep/postgres/outputs";

/** A server with the API of S3 on loopback, which verifies signatures, with its objects in a folder of its own. */
export interface S3Server extends AsyncDisposable {
  readonly options: Omit<S3OutputsOptions, "credentials"> & { readonly credentials: S3Credentials };
}

/** The package has no types. */
type Fake = new (options: object) => { run(): Promise<AddressInfo>; close(): Promise<void> };

const PACKAGE = "@20minutes/s3rver";
const BUCKET = "outputs";

/** Starts one with an empty bucket. */
export async function startS3(): Promise<S3Server> {
  const { default: Server } = (await import(PACKAGE)) as { readonly default: Fake };
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-s3-"));
  const server = new Server({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets: [{ name: BUCKET }] },
  });
  const { port } = await server.run();
  return {
    options: {
      ...{ endpoint: `http://127.0.0.1:${port}`, region: "us-east-1", bucket: BUCKET },
      // The only account that it knows.
      credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
