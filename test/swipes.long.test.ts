import { Random } from "@tally/bench/kit";
import { newEventId } from "@tally/contract";
import { expect, test, vi } from "vitest";
import { batchOf, openPublisher } from "./kit/publish.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { expectAllKept } from "./kit/tally.ts";

/* Of a pair the newest swipe counts, in whatever order they arrive. Batches are put straight into the ingest queue. */

const ids = new Set<string>();

// One batch per transaction keeps both threads busy.
const system = await startSystem({ WRITER_THREADS: "2", WRITER_PREFETCH: "4", WRITER_EVENTS_PER_TRANSACTION: "1" });
const database = openDatabase(system);
const publish = await openPublisher(system, "swipes");

interface Swipe {
  readonly id: string;
  readonly swiper: number;
  readonly swipee: number;
  readonly liked: boolean;
  readonly at: number;
  readonly comment: string;
}

const swipe = (swiper: number, swipee: number, at: number, liked: boolean): Swipe => {
  const fields = { swiper, swipee, liked, at, comment: "" };
  return { id: newEventId(), ...fields };
};

async function send(batches: readonly (readonly Swipe[])[]): Promise<void> {
  await Promise.all(
    batches.map(async (swipes) => {
      for (const { id } of swipes) ids.add(id);
      expect(await publish(batchOf(swipes))).toBe("confirmed");
    }),
  );
}

const stored = async () => {
  const [row] = await database.writer.query<{ swipes: number }>("SELECT COUNT(*) AS swipes FROM swipes");
  return row?.swipes;
};
const pairsOf = (swiper: number) =>
  database.writer.query("SELECT swipee, liked, taken_at FROM swipe_pairs WHERE swiper = ? ORDER BY swipee", [swiper]);

test("the newest wins while two writers store hundreds of swipes of the same few pairs at once, in any order and some twice", async () => {
  const generator = new Random(7);
  const random = (below: number): number => generator.integer(0, below - 1);
  // Few times, so that the newest of a pair is often one of several in its ms.
  const swipes = Array.from({ length: 3000 }, () => swipe(2, random(20), random(50), random(2) === 1));
  const batches = Array.from({ length: 300 }, (_, n) => swipes.slice(n * 10, n * 10 + 10));
  // Retries are other batches.
  const retried = Array.from({ length: 60 }, () => [swipes[random(swipes.length)] ?? swipe(2, 0, 0, true)]);
  await send(generator.shuffled([...batches, ...retried]));
  await vi.waitFor(async () => expect(await stored()).toBe(ids.size), 30_000);

  const newest = new Map<number, Swipe>();
  for (const one of swipes) {
    const before = newest.get(one.swipee);
    if (before === undefined || one.at > before.at || (one.at === before.at && one.id > before.id))
      newest.set(one.swipee, one);
  }
  const expected = [...newest.values()]
    .toSorted((a, b) => a.swipee - b.swipee)
    .map(({ swipee, liked, at }) => ({ swipee, liked: liked ? 1 : 0, taken_at: at }));
  expect(await pairsOf(2)).toEqual(expected);
  await expectAllKept(system, ids, "--domain", "swipes");
});

test("a retry that is stored before its first arrival does not win over a swipe between the two", async () => {
  const both = await startSystem({ WRITER_THREADS: "1" }, { instances: { writer: 2 } });
  const rows = openDatabase(both);
  const sent = new Set<string>();
  const post = async (side: "left" | "right", swiper: number, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${both.url}/swipe/${side}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ swiper: String(swiper), swipee: "9", comment: "" }),
    });
    expect(response.status).toBe(201);
    sent.add(response.headers.get("tally-event-id") ?? "");
  };
  const key = { "idempotency-key": "first" };
  // The broker gives the batches to both writers in turns. A frozen one holds what it gets.
  both.server("writer-1").kill("SIGSTOP");
  for (let swiper = 1; swiper <= 6; swiper++) {
    await post("right", swiper, key);
    await post("left", swiper);
    await post("left", 100 + swiper);
    await post("right", swiper, key);
  }
  const retried = "SELECT swiper FROM swipes WHERE liked = 1 AND swiper < 100";
  await vi.waitFor(async () => expect(await rows.writer.query(retried)).not.toEqual([]), 30_000);
  both.server("writer-1").kill("SIGCONT");

  const all = "SELECT COUNT(*) AS stored FROM swipes";
  await vi.waitFor(async () => expect(await rows.writer.query(all)).toEqual([{ stored: sent.size }]), 60_000);
  expect(await rows.writer.query("SELECT swiper FROM swipe_pairs WHERE liked = 1")).toEqual([]);
});
