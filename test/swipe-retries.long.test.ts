import { expect, test, vi } from "vitest";
import { openDatabase, startSystem } from "./kit/system.ts";

test("a retry that is stored before its first arrival does not win over a swipe between the two", async () => {
  const system = await startSystem({ WRITER_THREADS: "1" }, { instances: { writer: 2 } });
  const database = openDatabase(system);
  const ids = new Set<string>();
  const swipe = async (side: "left" | "right", swiper: number, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${system.url}/swipe/${side}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ swiper: String(swiper), swipee: "9", comment: "" }),
    });
    expect(response.status).toBe(201);
    ids.add(response.headers.get("tally-event-id") ?? "");
  };
  const key = { "idempotency-key": "first" };
  // The broker gives the batches to both writers in turns. A frozen one holds what it gets.
  system.server("writer-1").kill("SIGSTOP");
  for (let swiper = 1; swiper <= 6; swiper++) {
    await swipe("right", swiper, key);
    await swipe("left", swiper);
    await swipe("left", 100 + swiper);
    await swipe("right", swiper, key);
  }
  const retried = "SELECT swiper FROM swipes WHERE liked = 1 AND swiper < 100";
  await vi.waitFor(async () => expect(await database.writer.query(retried)).not.toEqual([]), 30_000);
  system.server("writer-1").kill("SIGCONT");

  const all = "SELECT COUNT(*) AS stored FROM swipes";
  await vi.waitFor(async () => expect(await database.writer.query(all)).toEqual([{ stored: ids.size }]), 60_000);
  expect(await database.writer.query("SELECT swiper FROM swipe_pairs WHERE liked = 1")).toEqual([]);
});
