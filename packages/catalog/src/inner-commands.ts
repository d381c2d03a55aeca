import { isKnownByFiles } from "./capabilities.ts";
import { commandsElsewhere, doneElsewhere } from "./elsewhere.ts";
import { FOUND } from "./named-things.ts";
import type { GivenCommand, Reading } from "./reading.ts";

interface Rest {
  readonly at: number;
  readonly shift: number;
  /** Whether it is given names besides its words. */
  readonly isFed: boolean;
}

/** The commands that a command is given to run. */
export class InnerCommands {
  readonly runs: GivenCommand[] = [];
  /** Whether they are run on another machine, or in a container. */
  isElsewhere = false;
  /** Whether they are surely all of it. */
  isAll = true;
  /** Where the words begin that are one of them. */
  #at: number | undefined;

  /** Says whether one begins with an operand of this kind. */
  begins(kind: string | undefined): boolean {
    this.isElsewhere = kind === "elsewhere";
    return kind === "command" || kind === "fed" || this.isElsewhere;
  }

  /** The words from `at` on, of which there are `shift` more than were written. */
  takeRest({ argv, expands = [] }: GivenCommand, { at, shift, isFed }: Rest): void {
    this.#at = at - shift;
    const inner = expands.map((index) => index - at + shift).filter((index) => index >= 0);
    this.#add(argv.slice(at), inner, isFed);
  }

  /** Gives how many words belong to the option that one follows. */
  takeUpToEnd(words: readonly string[], at: number): number {
    const end = words.findIndex((word, index) => index > at && (word === ";" || word === "+"));
    this.#add(words.slice(at + 1, end === -1 ? undefined : end), [], true);
    return (end === -1 ? words.length : end) - at;
  }

  /** Where a command is given names besides its words, they come last if no word stands for them. */
  #add(argv: readonly string[], expands: readonly number[], isFed: boolean): void {
    if (this.isElsewhere) {
      const { commands, isAll } = commandsElsewhere(argv);
      this.runs.push(...commands.map((command) => ({ argv: command, expands: [] })));
      this.isAll &&= isAll;
      return;
    }
    const isOpen = isFed && argv.length > 0 && !argv.some((word) => word.includes(FOUND));
    this.runs.push({ argv: isOpen ? [...argv, FOUND] : argv, expands });
  }

  /** What they do by their readings. */
  done(readings: readonly (Reading | undefined)[]): readonly string[] {
    return readings.flatMap((one, index) => {
      const done = one?.does ?? (this.runs[index]?.argv.length === 0 ? [] : ["code.run"]);
      return this.isElsewhere ? doneElsewhere(done) : done;
    });
  }

  /** The indexes of options that the entry of the first one calls usual. */
  usual([first]: readonly (Reading | undefined)[]): readonly number[] {
    const at = this.#at;
    if (at === undefined || first === undefined || isKnownByFiles(first.does)) return [];
    return first.plain.map((index) => index + at);
  }
}
