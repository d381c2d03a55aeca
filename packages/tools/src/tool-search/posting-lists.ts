/** For each term the tools that have it, and how much it tells about each of them. */
export interface PostingLists {
  /** The place of each term in `starts`. */
  readonly directories: ReadonlyMap<string, number>;
  /** Where the list of each term begins; it ends where the next one begins. */
  readonly starts: Uint32Array;
  readonly tools: Uint32Array;
  readonly weights: Float32Array;
}

export const NO_POSTINGS: PostingLists = {
  directories: new Map(),
  starts: new Uint32Array(1),
  tools: new Uint32Array(0),
  weights: new Float32Array(0),
};

/** Postings of tools that are not in the lists yet, one row for each. */
export interface NewPostings {
  readonly directories: Map<string, number>;
  readonly rows: { readonly directories: number[]; readonly tools: number[]; readonly weights: number[] };
}

export function noNewPostings(): NewPostings {
  return { directories: new Map(), rows: { directories: [], tools: [], weights: [] } };
}

/** Adds a row for every term of a tool. */
export function addPostings({ directories, rows }: NewPostings, { tool, terms }: ReadTool): void {
  for (const [term, weight] of terms) {
    let place = directories.get(term);
    if (place === undefined) {
      place = directories.size;
      directories.set(ownCopy(term), place);
    }
    rows.directories.push(place);
    rows.tools.push(tool);
    rows.weights.push(weight);
  }
}

/** The number of a tool, and what each of its terms weighs. */
export interface ReadTool {
  readonly tool: number;
  readonly terms: ReadonlyMap<string, number>;
}

/** What a merge changes: `renumbered` has the new number of each old and new tool, or -1 if it is gone. */
export interface Changes {
  readonly added: NewPostings;
  readonly renumbered: Int32Array;
}

/** New lists with the changes in them, in one pass over the old ones; terms that no tool has are left out. */
export function mergePostings(old: PostingLists, changes: Changes): PostingLists {
  const directories = new Map(old.directories);
  for (const term of changes.added.directories.keys())
    if (!directories.has(term)) directories.set(term, directories.size);
  const rows = liveRows(old, { ...changes, directories });
  const ends = new Uint32Array(directories.size);
  for (const place of rows.directories) ends[place] = (ends[place] ?? 0) + 1;
  const { kept, starts } = layOut(directories, ends);

  const tools = new Uint32Array(rows.tools.length);
  const weights = new Float32Array(rows.tools.length);
  for (let row = 0; row < rows.tools.length; row += 1) {
    const place = rows.directories[row] ?? 0;
    const at = ends[place] ?? 0;
    ends[place] = at + 1;
    tools[at] = rows.tools[row] ?? 0;
    weights[at] = rows.weights[row] ?? 0;
  }
  return { directories: kept, starts, tools, weights };
}

interface PlacedChanges extends Changes {
  /** The places of all terms, old and new. */
  readonly directories: ReadonlyMap<string, number>;
}

interface Rows {
  readonly directories: Uint32Array;
  readonly tools: Uint32Array;
  readonly weights: Float32Array;
}

/** Every posting of a tool that is still there, old and new, under the numbers that tools now have. */
function liveRows(old: PostingLists, { added, renumbered, directories }: PlacedChanges): Rows {
  const most = old.tools.length + added.rows.tools.length;
  const rows = {
    directories: new Uint32Array(most),
    tools: new Uint32Array(most),
    weights: new Float32Array(most),
  };
  let count = 0;
  for (let place = 0; place + 1 < old.starts.length; place += 1) {
    const end = old.starts[place + 1] ?? 0;
    for (let at = old.starts[place] ?? 0; at < end; at += 1) {
      const tool = renumbered[old.tools[at] ?? 0] ?? -1;
      if (tool < 0) continue;
      rows.directories[count] = place;
      rows.tools[count] = tool;
      rows.weights[count] = old.weights[at] ?? 0;
      count += 1;
    }
  }
  const newPlaces = Uint32Array.from(added.directories.keys(), (term) => directories.get(term) ?? 0);
  for (let at = 0; at < added.rows.tools.length; at += 1) {
    const tool = renumbered[added.rows.tools[at] ?? 0] ?? -1;
    if (tool < 0) continue;
    rows.directories[count] = newPlaces[added.rows.directories[at] ?? 0] ?? 0;
    rows.tools[count] = tool;
    rows.weights[count] = added.rows.weights[at] ?? 0;
    count += 1;
  }
  return {
    directories: rows.directories.subarray(0, count),
    tools: rows.tools.subarray(0, count),
    weights: rows.weights.subarray(0, count),
  };
}

/** Turns the length of each list, in place, into where it begins; terms with an empty list are not kept. */
function layOut(
  all: ReadonlyMap<string, number>,
  lengths: Uint32Array,
): { readonly kept: Map<string, number>; readonly starts: Uint32Array } {
  const kept = new Map<string, number>();
  const starts: number[] = [];
  let total = 0;
  for (const [term, place] of all) {
    const length = lengths[place] ?? 0;
    lengths[place] = total;
    if (length === 0) continue;
    kept.set(term, starts.length);
    starts.push(total);
    total += length;
  }
  return { kept, starts: Uint32Array.from([...starts, total]) };
}

/** A term without the text it was cut from, which the engine would otherwise keep in memory with it. */
function ownCopy(term: string): string {
  return String.fromCodePoint(...Array.from(term, (character) => character.codePointAt(0) ?? 0));
}
