import { type ToolContext, ToolFailure } from "@toolkeep/core";
import type { ByteRange } from "@toolkeep/core/ports";
import { readTextForm } from "./text-form.ts";

/** A file or output that is read in parts. */
export interface OpenedSource {
  /** The first part; the whole if it is short enough. */
  readonly head: Uint8Array;
  /** `undefined` while the end has not been reached. */
  readonly size: number | undefined;
  /** Missing for outputs, which cannot change. */
  readonly version?: string;
  /** Returns fewer bytes than requested only at the end. */
  read(range: Required<ByteRange>): Promise<Uint8Array>;
  /** Reads the whole. @throws ToolFailure `too_large` above the limit of one read. */
  readAll(): Promise<Uint8Array>;
}

/** Larger than what is shown at once, so that one read is enough for most files. */
const HEAD_BYTES = 256 * 1_024;

/** @throws ToolFailure `conflict` from its reads when the file changed in between. */
export async function openFile({ io }: Pick<ToolContext, "io">, path: string): Promise<OpenedSource> {
  const { bytes: head, size, version } = await io.files.read(path, { offset: 0, length: HEAD_BYTES });
  const same = async (range?: ByteRange) => {
    const part = await io.files.read(path, range);
    if (part.version !== version) throw changing(path);
    return part.bytes;
  };
  return {
    head,
    size,
    version,
    read: fromHead({ head, size }, same),
    readAll: () => fromStart({ head, size }, same),
  };
}

/** An output that this session kept. @throws ToolFailure `not_found` for a path that the session did not give out. */
export async function openKept(
  { results }: Pick<ToolContext, "results">,
  path: string,
): Promise<OpenedSource> {
  const head = await results.read(path, { offset: 0, length: HEAD_BYTES });
  const size = head.length < HEAD_BYTES ? head.length : undefined;
  const more = (range?: ByteRange) => results.read(path, range);
  return { head, size, read: fromHead({ head, size }, more), readAll: () => fromStart({ head, size }, more) };
}

/** The same text in UTF-8; `undefined` for a binary file. */
export async function inUtf8(source: OpenedSource): Promise<OpenedSource | undefined> {
  const content = readTextForm(await source.readAll());
  if (content.isBinary) return undefined;
  const all = new TextEncoder().encode(content.text);
  return {
    ...source,
    head: all,
    size: all.length,
    read: ({ offset, length }) => Promise.resolve(all.subarray(offset, offset + length)),
    readAll: () => Promise.resolve(all),
  };
}

type Read = (range?: ByteRange) => Promise<Uint8Array>;
type Beginning = Pick<OpenedSource, "head" | "size">;

function fromHead({ head, size }: Beginning, read: Read): OpenedSource["read"] {
  return async ({ offset, length }) =>
    offset + length <= head.length || head.length === size
      ? head.subarray(offset, offset + length)
      : read({ offset, length });
}

async function fromStart({ head, size }: Beginning, read: Read): Promise<Uint8Array> {
  return head.length === size ? head : read();
}

function changing(path: string): ToolFailure {
  return new ToolFailure("conflict", `${JSON.stringify(path)} changed while it was being read.`, {
    hint: "Read it again.",
    transient: true,
  });
}
