/** The text of an answer. @throws when there is more of it than `most` bytes, or when it is no text. */
export async function readBounded(response: Response, most: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > most) throw new Error(`the answer is larger than ${most} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
