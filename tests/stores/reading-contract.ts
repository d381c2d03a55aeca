import type { SessionStore } from "@toolkeep/core";
import { expect, test } from "vitest";

/** What a session reads of its store: what it did not take, and the journal from an event on. */
export function testReading(newStore: () => Promise<SessionStore>): void {
  test("a message stays until it is taken, and is given again until then", async () => {
    const store = await newStore();
    for (const text of ["one", "two", "three"]) await store.sendMessage("s", { text });
    const given: string[][] = [[], []];
    for (const ids of given)
      await store.takeMessages("s", async ({ id, message }) => {
        ids.push(id);
        return message.text === "two";
      });
    const [first = [], second] = given;
    expect(new Set(first).size).toBe(3);
    expect(second).toEqual([first[0], first[2]]);
    expect(await store.takeMessages("s")).toEqual([{ text: "one" }, { text: "three" }]);
  });

  test("a journal is read from an event on", async () => {
    const journal = await (await newStore()).open("s");
    for (let seq = 0; seq < 200; seq += 1) {
      journal.append(seq, seq, `t${seq + 1}`, { type: "turn-start", calls: [] });
      if (seq % 3 === 0) await journal.flush();
    }
    const seqs = async (fromSeq: number) =>
      (await Array.fromAsync(journal.read({ types: ["turn-start"], fromSeq }))).map(({ seq }) => seq);
    expect(await seqs(0)).toHaveLength(200);
    expect(await seqs(150)).toEqual(Array.from({ length: 50 }, (_, n) => 150 + n));
    expect(await seqs(200)).toEqual([]);
  });
}
