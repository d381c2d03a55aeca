/** How much the files hand takes on at once, and what it searches with. */
export interface FileBounds {
  /** Most bytes that one read gives. */
  readonly readBytes: number;
  /** Most bytes that one write takes. */
  readonly writeBytes: number;
  /** Most files that are put in order by their time. */
  readonly sortedEntries: number;
  /** Most bytes that are shown of a line in which something was found. */
  readonly lineBytes: number;
  /** The ripgrep to search with. Without it: the one installed with the library, then the system's. */
  readonly ripgrepPath?: string;
}

/** The default bounds. */
export const FILE_BOUNDS: FileBounds = {
  readBytes: 64 * 1024 * 1024,
  writeBytes: 64 * 1024 * 1024,
  sortedEntries: 200_000,
  lineBytes: 4_096,
};
