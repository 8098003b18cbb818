import { Random } from "@tally/bench/kit";
import { newEventId } from "@tally/contract";
import { expect, test } from "vitest";
import { batchOf, openPublisher } from "./kit/publish.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { expectAllKept } from "./kit/tally.ts";

/* The newest swipe of a pair counts, in whatever order they arrive. Batches are put straight into the ingest queue. */

const ids = new Set<string>();

// One batch per transaction keeps both threads busy.
const system = await startSystem({ WRITER_THREADS: "2", WRITER_PREFETCH: "4", WRITER_EVENTS_PER_TRANSACTION: "1" });
const database = openDatabase(system);
const publish = await openPublisher(system, "swipes");

const swipe = (swiper: number, swipee: number, at: number, liked: boolean) =>
  Object.assign({ id: newEventId() }, { swiper, swipee, liked, at, comment: "" });
type Swipe = ReturnType<typeof swipe>;

async function send(batches: readonly (readonly Swipe[])[]): Promise<void> {
  await Promise.all(
    batches.map(async (swipes) => {
      for (const { id } of swipes) ids.add(id);
      expect(await publish(batchOf(swipes))).toBe("confirmed");
    }),
  );
}

test("the newest wins while two writers store swipes of the same pairs, in any order and some twice", async () => {
  const generator = new Random(7);
  const random = (below: number): number => generator.integer(0, below - 1);
  // Few times, so that the newest of a pair is often one of several in its ms.
  const swipes = Array.from({ length: 3000 }, () => swipe(2, random(20), random(50), random(2) === 1));
  const batches = Array.from({ length: 300 }, (_, n) => swipes.slice(n * 10, n * 10 + 10));
  // Retries are other batches.
  const retried = Array.from({ length: 60 }, () => [swipes[random(swipes.length)] ?? swipe(2, 0, 0, true)]);
  await send(generator.shuffled([...batches, ...retried]));
  await expectAllKept(system, ids, "--domain", "swipes");

  const newest = new Map<number, Swipe>();
  for (const one of swipes) {
    const before = newest.get(one.swipee);
    if (before === undefined || one.at > before.at || (one.at === before.at && one.id > before.id))
      newest.set(one.swipee, one);
  }
  const expected = [...newest.values()]
    .toSorted((a, b) => a.swipee - b.swipee)
    .map(({ swipee, liked, at }) => ({ swipee, liked: liked ? 1 : 0, taken_at: at }));
  const pairs = "SELECT swipee, liked, taken_at FROM swipe_pairs WHERE swiper = 2 ORDER BY swipee";
  expect(await database.writer.query(pairs)).toEqual(expected);
});
