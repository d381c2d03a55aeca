/** For each term, the tools that contain it and its weight in each of them. */
export interface PostingLists {
  /** The index of each term in `starts`. */
  readonly positions: ReadonlyMap<string, number>;
  /** Where the list of each term begins; it ends where the next one begins. */
  readonly starts: Uint32Array;
  readonly tools: Uint32Array;
  readonly weights: Float32Array;
}

export const NO_POSTINGS: PostingLists = {
  positions: new Map(),
  starts: new Uint32Array(1),
  tools: new Uint32Array(0),
  weights: new Float32Array(0),
};

/** Postings that are not merged yet, one row for each. */
export interface NewPostings {
  readonly positions: Map<string, number>;
  readonly rows: { readonly positions: number[]; readonly tools: number[]; readonly weights: number[] };
}

export function noNewPostings(): NewPostings {
  return { positions: new Map(), rows: { positions: [], tools: [], weights: [] } };
}

/** Adds a row for every term of a tool. */
export function addPostings({ positions, rows }: NewPostings, { tool, terms }: ReadTool): void {
  for (const [term, weight] of terms) {
    let position = positions.get(term);
    if (position === undefined) {
      position = positions.size;
      positions.set(ownCopy(term), position);
    }
    rows.positions.push(position);
    rows.tools.push(tool);
    rows.weights.push(weight);
  }
}

/** The number of a tool, and the weight of each of its terms. */
export interface ReadTool {
  readonly tool: number;
  readonly terms: ReadonlyMap<string, number>;
}

/** What a merge changes: `renumbered` maps each old and new tool to its new number, or -1 if it is gone. */
export interface Changes {
  readonly added: NewPostings;
  readonly renumbered: Int32Array;
}

/** Merges changes into new lists, in one pass over the old ones; drops terms without tools. */
export function mergePostings(old: PostingLists, changes: Changes): PostingLists {
  const positions = new Map(old.positions);
  for (const term of changes.added.positions.keys())
    if (!positions.has(term)) positions.set(term, positions.size);
  const rows = liveRows(old, { ...changes, positions });
  const ends = new Uint32Array(positions.size);
  for (const position of rows.positions) ends[position] = (ends[position] ?? 0) + 1;
  const { kept, starts } = layOut(positions, ends);

  const tools = new Uint32Array(rows.tools.length);
  const weights = new Float32Array(rows.tools.length);
  for (let row = 0; row < rows.tools.length; row += 1) {
    const position = rows.positions[row] ?? 0;
    const at = ends[position] ?? 0;
    ends[position] = at + 1;
    tools[at] = rows.tools[row] ?? 0;
    weights[at] = rows.weights[row] ?? 0;
  }
  return { positions: kept, starts, tools, weights };
}

interface PlacedChanges extends Changes {
  /** The index of all terms, old and new. */
  readonly positions: ReadonlyMap<string, number>;
}

interface Rows {
  readonly positions: Uint32Array;
  readonly tools: Uint32Array;
  readonly weights: Float32Array;
}

/** Every posting of a remaining tool, old and new, with the new numbers of the tools. */
function liveRows(old: PostingLists, { added, renumbered, positions }: PlacedChanges): Rows {
  const most = old.tools.length + added.rows.tools.length;
  const rows = {
    positions: new Uint32Array(most),
    tools: new Uint32Array(most),
    weights: new Float32Array(most),
  };
  let count = 0;
  for (let position = 0; position + 1 < old.starts.length; position += 1) {
    const end = old.starts[position + 1] ?? 0;
    for (let at = old.starts[position] ?? 0; at < end; at += 1) {
      const tool = renumbered[old.tools[at] ?? 0] ?? -1;
      if (tool < 0) continue;
      rows.positions[count] = position;
      rows.tools[count] = tool;
      rows.weights[count] = old.weights[at] ?? 0;
      count += 1;
    }
  }
  const newPlaces = Uint32Array.from(added.positions.keys(), (term) => positions.get(term) ?? 0);
  for (let at = 0; at < added.rows.tools.length; at += 1) {
    const tool = renumbered[added.rows.tools[at] ?? 0] ?? -1;
    if (tool < 0) continue;
    rows.positions[count] = newPlaces[added.rows.positions[at] ?? 0] ?? 0;
    rows.tools[count] = tool;
    rows.weights[count] = added.rows.weights[at] ?? 0;
    count += 1;
  }
  return {
    positions: rows.positions.subarray(0, count),
    tools: rows.tools.subarray(0, count),
    weights: rows.weights.subarray(0, count),
  };
}

/** Turns the lengths of the lists into their start offsets, in the same array; drops terms with an empty list. */
function layOut(
  all: ReadonlyMap<string, number>,
  lengths: Uint32Array,
): { readonly kept: Map<string, number>; readonly starts: Uint32Array } {
  const kept = new Map<string, number>();
  const starts: number[] = [];
  let total = 0;
  for (const [term, position] of all) {
    const length = lengths[position] ?? 0;
    lengths[position] = total;
    if (length === 0) continue;
    kept.set(term, starts.length);
    starts.push(total);
    total += length;
  }
  return { kept, starts: Uint32Array.from([...starts, total]) };
}

/** A copy of a term that does not keep the whole source text in memory. */
function ownCopy(term: string): string {
  return String.fromCodePoint(...Array.from(term, (character) => character.codePointAt(0) ?? 0));
}
