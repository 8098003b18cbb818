import fc from "fast-check";
import { decodeRankingMessage, encodeRankingMessage, UndecodableRankingMessage, type Moves } from "@tally/contract";
import { expect, test } from "vitest";
import { encodeMoves } from "./encode-moves.ts";
import { goLive, movesOf, ownRankings } from "./own-rankings.test-kit.ts";

const { rankings, build } = ownRankings(2);

function moves(): Moves {
  const all = movesOf({ likes: { 5: 2, "a text": -70_000 }, "day:1": { 7: 3e9 } });
  for (const key of ["1", "2", "300"]) all.addMirrored({ prefix: "item:", mirrorPrefix: "store:" }, key, "9", 40);
  return all;
}

test("whatever a message holds, it is ranked whole or rejected before Redis has it", async () => {
  await goLive(await build("any"));
  const outcomes = { ranked: 0, rejected: 0 };
  const edit = fc.tuple(fc.nat(), fc.constantFrom(0, 1, 2), fc.uint8Array({ maxLength: 3 }));
  let sequence = 0;
  const attempt = async (count: number, edits: readonly (readonly [number, number, Uint8Array])[]): Promise<void> => {
    const batch = { producer: "0123456789abcdef", sequence: sequence++ };
    const shards = encodeMoves(moves(), count).shards.map((shard) => {
      let bytes = shard;
      for (const [at, removed, added] of edits) {
        const from = at % (bytes.length + 1);
        bytes = Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + removed)]);
      }
      return bytes;
    });
    try {
      const message = decodeRankingMessage(encodeRankingMessage({ batch, storedAt: 1, shards }));
      expect(await rankings.rank("any", message)).toBe(true);
      outcomes.ranked++;
    } catch (error) {
      if (!(error instanceof UndecodableRankingMessage)) throw error;
      outcomes.rejected++;
    }
  };
  const edits = fc.array(edit, { maxLength: 2 });
  await fc.assert(fc.asyncProperty(fc.constantFrom(1, 2, 3), edits, attempt), { numRuns: 3000 });
  expect(await rankings.state("any")).toEqual({ name: "whole" });
  expect(Math.min(outcomes.ranked, outcomes.rejected)).toBeGreaterThan(300);
});

test("beyond 2^53 a count loses its last digit, a mirrored one stops, and nothing fails", async () => {
  await goLive(await build("large"));
  for (const [sequence, by] of [2 ** 53 - 1, 2, 5].entries()) {
    const all = movesOf({ board: { 5: by } });
    for (const [key, sign] of [
      ["1", 1],
      ["2", -1],
    ] as const)
      all.addMirrored({ prefix: "item:", mirrorPrefix: "store:" }, key, "9", sign * by);
    const message = { batch: { producer: "0123456789abcdef", sequence }, storedAt: 1, ...encodeMoves(all, 2) };
    expect(await rankings.rank("large", decodeRankingMessage(encodeRankingMessage(message)))).toBe(true);
  }
  expect(Math.abs((await rankings.count("large", "board", "5")) - (2 ** 53 + 6))).toBeLessThanOrEqual(2);
  expect(await rankings.count("large", "item:1", "9")).toBe(2 ** 53 - 1);
  expect(await rankings.count("large", "item:2", "9")).toBe(-(2 ** 53 - 1));
  expect(await rankings.state("large")).toEqual({ name: "whole" });
});
