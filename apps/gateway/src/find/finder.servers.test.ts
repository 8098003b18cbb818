import { ownDatabase } from "@tally/database/own-database";
import { lookup } from "@tally/contract";
import { expect, test } from "vitest";
import { groupReads } from "../read/group-reads.ts";
import { createFinder } from "./finder.ts";

const database = ownDatabase().connect();

const id = "00000000-0001-7000-8000-000000000001";
const things = lookup({
  select: "SELECT id FROM (SELECT X'00000000000170008000000000000001' AS id) known WHERE id IN (?)",
  keysMax: 10,
  ofRows: ([row]: readonly { readonly id: Buffer }[]) => row && 1,
  ofEvent: () => undefined,
});

/** `endpoints`: the endpoint of each statement; `readersMax`: how many readers may wait for the read endpoint. */
function finderOf(readersMax: number) {
  const endpoints: string[] = [];
  const readsOf = (endpoint: "read" | "write", waitingMax: number) =>
    groupReads({
      reader: endpoint === "read" ? database.reader : database.writer,
      waitingMax,
      waitMs: 20_000,
      onStatement: () => endpoints.push(endpoint),
    });
  const finder = createFinder({
    read: readsOf("read", readersMax),
    write: readsOf("write", 10),
    recentBytesMax: 0,
    waitMs: 100,
    waitersMax: 10,
    onFind: () => undefined,
  });
  return { endpoints, finder };
}

test.each([
  ["young", Date.now],
  ["old", () => 0],
])(
  "an overloaded read endpoint does not shift the lookup of a %s id to the write endpoint",
  async (_age, acceptedAtMs) => {
    const busy = finderOf(0);
    await expect(busy.finder.find(things, id, acceptedAtMs())).rejects.toMatchObject({ code: "READS_FULL" });
    expect(busy.endpoints).toEqual([]);

    const idle = finderOf(1);
    expect(await idle.finder.find(things, id, acceptedAtMs())).toBe(1);
    expect(idle.endpoints).toEqual(["read"]);
  },
);

test("an event of a gateway whose clock is ahead is awaited, and an old or invented one is unknown", async () => {
  const { finder } = finderOf(10);
  const unknown = id.replace(/1$/, "2");
  await expect(finder.find(things, unknown, Date.now() + 86_400_000)).rejects.toMatchObject({ code: "NOT_YET" });
  expect(await finder.find(things, unknown, Date.now() + 365 * 86_400_000)).toBeUndefined();
  expect(await finder.find(things, unknown, 0)).toBeUndefined();
});
