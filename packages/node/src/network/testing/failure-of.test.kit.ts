import { ToolFailure } from "@toolkeep/core";

/** The failure a promise ends in. @throws for one that does not fail, or fails with anything else. */
export async function failureOf(promise: Promise<unknown>): Promise<ToolFailure> {
  try {
    await promise;
  } catch (error) {
    if (ToolFailure.isInstance(error)) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

export async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  return new TextDecoder().decode(await bytesOf(body));
}

async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
