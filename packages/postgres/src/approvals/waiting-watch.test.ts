import type { WaitingRequest } from "@toolkeep/core";
import { describe, expect, test } from "vitest";
import { WaitingWatch } from "./waiting-watch.ts";

function waitingFor(id: string): WaitingRequest {
  return { sessionId: "chat", askedAt: 1, request: { id } } as unknown as WaitingRequest;
}

describe("WaitingWatch", () => {
  test("a listener that throws keeps nothing from the others, nor from itself later on", async () => {
    const found: WaitingRequest[] = [];
    const watch = new WaitingWatch({ waiting: async () => [...found] }, 60_000);
    const failing: string[] = [];
    const told: string[] = [];
    await watch.listen({
      began: ({ request }) => {
        failing.push(request.id);
        throw new Error("It fails.");
      },
      ended: () => {
        throw new Error("It fails.");
      },
    });
    await watch.listen({
      began: ({ request }) => void told.push(`began ${request.id}`),
      ended: ({ request }) => void told.push(`ended ${request.id}`),
    });
    found.push(waitingFor("1"), waitingFor("2"));
    await watch.look();
    found.splice(0, 1);
    await watch.look();
    watch.close();
    expect(failing).toEqual(["1", "2"]);
    expect(told).toEqual(["began 1", "began 2", "ended 1"]);
  });

  test("once closed, it looks no more, even for a listener that was about to begin", async () => {
    let looks = 0;
    const store = { waiting: Promise.withResolvers<readonly WaitingRequest[]>() };
    const watch = new WaitingWatch(
      {
        waiting: () => {
          looks += 1;
          return looks === 1 ? store.waiting.promise : Promise.resolve([]);
        },
      },
      1,
    );
    const told: string[] = [];
    const listening = watch.listen({ began: ({ request }) => void told.push(request.id), ended: () => {} });
    watch.close();
    store.waiting.resolve([waitingFor("1")]);
    (await listening)();
    // Its timer would be due many times before this one.
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([looks, told]).toEqual([1, []]);
  });
});
