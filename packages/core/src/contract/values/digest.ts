/** Port: a collision-resistant hash as lower-case hexadecimal. Core has no cryptography of its own. */
export type Digest = (bytes: Uint8Array<ArrayBuffer>) => Promise<string> | string;
