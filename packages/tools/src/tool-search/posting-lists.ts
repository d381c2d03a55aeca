/** For each term, the tools that contain it and its weight in each of them. */
export class PostingLists {
  /** The index of each term in `starts`. */
  positions = new Map<string, number>();
  /** Where the list of each term begins; it ends where the next one begins. */
  starts = new Uint32Array(1);
  tools = new Uint32Array(0);
  weights = new Float32Array(0);
  /** What is not merged yet: position, tool and weight, one after the other. */
  #added: number[] = [];

  /** Adds a tool to the lists of its terms; they have it after the next merge. */
  add(tool: number, terms: ReadonlyMap<string, number>): void {
    for (const [term, weight] of terms) {
      const position = this.positions.get(term) ?? this.positions.size;
      if (position === this.positions.size) this.positions.set(ownCopy(term), position);
      this.#added.push(position, tool, weight);
    }
  }

  /** Merges what was added, and drops terms without tools. `renumbered` maps each tool to its new number, or to -1. */
  merge(renumbered: Int32Array): void {
    const ends = new Uint32Array(this.positions.size);
    this.#each(renumbered, (position) => {
      ends[position] = (ends[position] ?? 0) + 1;
    });
    const kept = new Map<string, number>();
    const starts = [0];
    for (const [term, position] of this.positions) {
      const start = starts.at(-1) ?? 0;
      const length = ends[position] ?? 0;
      ends[position] = start;
      if (length === 0) continue;
      kept.set(term, kept.size);
      starts.push(start + length);
    }
    const tools = new Uint32Array(starts.at(-1) ?? 0);
    const weights = new Float32Array(tools.length);
    this.#each(renumbered, (position, tool, weight) => {
      const at = ends[position] ?? 0;
      ends[position] = at + 1;
      tools[at] = tool;
      weights[at] = weight;
    });
    this.positions = kept;
    this.starts = Uint32Array.from(starts);
    [this.tools, this.weights, this.#added] = [tools, weights, []];
  }

  /** Visits every posting of a tool that stays, merged or added. */
  #each(renumbered: Int32Array, visit: (position: number, tool: number, weight: number) => void): void {
    const { starts, tools, weights } = this;
    for (let position = 0; position + 1 < starts.length; position += 1) {
      const end = starts[position + 1] ?? 0;
      for (let at = starts[position] ?? 0; at < end; at += 1) {
        const tool = renumbered[tools[at] ?? 0] ?? -1;
        if (tool >= 0) visit(position, tool, weights[at] ?? 0);
      }
    }
    const added = this.#added;
    for (let at = 0; at < added.length; at += 3) {
      const tool = renumbered[added[at + 1] ?? 0] ?? -1;
      if (tool >= 0) visit(added[at] ?? 0, tool, added[at + 2] ?? 0);
    }
  }
}

/** A copy of a term that does not keep the whole source text in memory. */
function ownCopy(term: string): string {
  return String.fromCodePoint(...Array.from(term, (character) => character.codePointAt(0) ?? 0));
}
