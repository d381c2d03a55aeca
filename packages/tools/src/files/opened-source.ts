import { type ToolContext, ToolFailure } from "@toolkeep/core";
import type { ByteRange } from "@toolkeep/core/ports";
import { readTextForm } from "./text-form.ts";

/** Something to read from, a part at a time. */
export interface OpenedSource {
  /** Its beginning: all of it, if it is not longer. */
  readonly head: Uint8Array;
  /** `undefined` where that is not known before the end is reached. */
  readonly size: number | undefined;
  /** Missing for what nobody can change. */
  readonly version?: string;
  /** Fewer bytes than were asked for only where it ends. */
  read(range: Required<ByteRange>): Promise<Uint8Array>;
  /** All of it. @throws ToolFailure `too_large` for more than the hand reads at once. */
  readAll(): Promise<Uint8Array>;
}

/** More than is shown at once, so that most files are read in one go. */
const HEAD_BYTES = 256 * 1_024;

/** @throws ToolFailure `conflict` from its reads when the file was changed in between. */
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

/** An output that this session kept. @throws ToolFailure `not_found` for a path that it did not hand out. */
export async function openKept(
  { results }: Pick<ToolContext, "results">,
  path: string,
): Promise<OpenedSource> {
  const head = await results.read(path, { offset: 0, length: HEAD_BYTES });
  const size = head.length < HEAD_BYTES ? head.length : undefined;
  const more = (range?: ByteRange) => results.read(path, range);
  return { head, size, read: fromHead({ head, size }, more), readAll: () => fromStart({ head, size }, more) };
}

/** The same text in UTF-8; `undefined` for what is none. */
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
  return new ToolFailure("conflict", `${JSON.stringify(path)} was changed while it was being read.`, {
    hint: "Read it again.",
    transient: true,
  });
}
