import { randomBytes } from "node:crypto";
import { access } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { openPublisher } from "@tally/broker/own-broker";
import { BatchIds, encodeEvent } from "@tally/contract";
import { expect, inject, onTestFinished, test } from "vitest";
import { GroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import { committed } from "./intake.ts";
import { openPace } from "./pace.ts";

/** A group commit to its own queue. `batches`: the number of events in each published batch. */
async function groupCommit(options: Partial<GroupCommitOptions>) {
  const queue = `group-commit-test.${randomBytes(6).toString("hex")}`;
  const { publisher } = openPublisher(inject("services").amqpUrl, [{ name: queue }]);
  const pace = openPace(() => Promise.resolve(0));
  onTestFinished(() => pace.close());
  await publisher.ready;
  const batches: number[] = [];
  const bodies: Buffer[] = [];
  const commit = new GroupCommit({
    queue,
    eventVersion: 1,
    publisher: {
      ...publisher,
      publish(message) {
        bodies.push(message.body);
        return publisher.publish(message);
      },
    },
    ids: new BatchIds(),
    pace,
    batchEventsMax: 1000,
    batchBytesMax: 1024 * 1024,
    batchesInFlightMax: 8,
    batchEveryMs: 60_000,
    waitingMax: 100_000,
    waitingBytesMax: 128 * 1024 * 1024,
    confirmWithinMs: 60_000,
    onBatch: (events) => batches.push(events),
    beginPublish: () => ({ headers: {}, ended: () => undefined }),
    ...options,
  });
  const add = () => committed(commit, encodeEvent({ id: "0" }));
  const confirmed = async (count: number): Promise<void> => {
    expect(new Set(await Promise.all(Array.from({ length: count }, add)))).toEqual(new Set(["confirmed"]));
  };
  return { commit, batches, bodies, add, confirmed };
}

test("a sequential client never waits", async () => {
  const { commit, batches, add } = await groupCommit({});
  for (let n = 1; n <= 20; n++) {
    void add();
    // One turn later no batch can be ripe yet.
    await turn();
    await turn();
    void add();
    await commit.drain();
  }
  expect(batches).toEqual(Array.from({ length: 40 }, () => 1));
});

test("events of one turn share a batch, which is published when no more arrive", async () => {
  const { batches, confirmed } = await groupCommit({});
  await confirmed(1);
  await confirmed(30);
  await confirmed(20);
  expect(batches).toEqual([1, 30, 20]);
});

test("a message says the version of its events", async () => {
  const { bodies, confirmed } = await groupCommit({ eventVersion: 7 });
  await confirmed(1);
  expect(bodies.map((body) => JSON.parse(body.toString()))).toMatchObject([{ eventVersion: 7 }]);
});

test("steady traffic is batched by the interval, not by the time between two confirms", async () => {
  const batchEveryMs = 250;
  const bounds = { batchEventsMax: 1_000_000, batchBytesMax: 128 * 1024 * 1024, waitingMax: 1_000_000 };
  const { commit, batches, add } = await groupCommit({ batchEveryMs, ...bounds });
  const endsAt = performance.now() + 5 * batchEveryMs;
  let events = 0;
  const send = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      // Wakes the event loop as a socket does.
      await access(import.meta.filename);
      void add();
      events++;
    }
  };
  await Promise.all(Array.from({ length: 8 }, send));
  await commit.drain();
  expect(batches.reduce((sum, n) => sum + n, 0)).toBe(events);
  // Publishing at each confirm would make hundreds.
  expect(batches.length).toBeLessThan(60);
});

test("no batch waits for more events until its deadline, with any settings", async () => {
  const { batches, add } = await groupCommit({
    batchEveryMs: 60_000,
    // Half of it is for the confirm of a busy broker.
    confirmWithinMs: 6000,
    batchEventsMax: 1_000_000,
  });
  await add();
  const endsAt = performance.now() + 6800;
  const outcomes: Promise<string>[] = [];
  // An event arrives just before each check.
  await new Promise<void>((resolve) => {
    let addedAt = 0;
    const step = (): void => {
      const now = performance.now();
      if (now < endsAt) setImmediate(step);
      else resolve();
      if (now - addedAt < 0.2) return;
      addedAt = now;
      outcomes.push(add());
    };
    step();
  });
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["confirmed"]));
  expect(batches.length).toBeGreaterThan(1);
});

test("a full batch is published at once, also while others are in flight", async () => {
  const { batches, confirmed } = await groupCommit({ batchEventsMax: 10 });
  await confirmed(1);
  await confirmed(40);
  expect(batches).toEqual([1, 10, 10, 10, 10]);
});
