/**
 * Port: keeps the bytes of large outputs, each under the SHA-256 of its bytes in hexadecimal, where every process that
 * has the same store open finds them. `folderOutputs` and `s3Outputs` are such storages.
 */
export interface OutputStorage {
  /** Keeps bytes. Resolves when they are durable. The same bytes again change nothing. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  /** `undefined` if nothing is kept under this hash. Who reads compares the hash. */
  get(sha256: string): Promise<Uint8Array | undefined>;
  has(sha256: string): Promise<boolean>;
  /** Removes bytes that no session refers to any more. Removing what is not there is no error. */
  delete(sha256: string): Promise<void>;
}
