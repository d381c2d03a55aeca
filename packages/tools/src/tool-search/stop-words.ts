/** Whether a word helps to distinguish tools. */
export function isTelling(word: string): boolean {
  return !STOP_WORDS.has(word);
}

// Grammar, courtesy, and remains of contractions.
const STOP_WORDS: ReadonlySet<string> = new Set(
  [
    "a an the this that these those there here some any all each every other another both such same own",
    "and or but if then than so because while until once again also too very just only more most",
    "of in on at to from for with without by as into about over under between during via per",
    "up down out off am is are was were be been being do does did doing have has had having",
    "can could will would shall should may might must not no yes",
    "i me my mine we us our you your yours he him his she her it its they them their",
    "what which who whom whose when where why how",
    "please kindly thanks thank hi hello hey help tell let lets like love want need wish know give",
    "able looking use using used additionally furthermore moreover finally lastly etc",
    "s t m d re ve ll im ive dont",
  ].flatMap((line) => line.split(" ")),
);
