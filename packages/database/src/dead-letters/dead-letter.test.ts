import { BatchIds, encodeBatch, encodeEvent, newEventId, packEvent } from "@tally/contract";
import { expect, test } from "vitest";
import { foreignBatchReason, replayOf, type DeadLetter } from "./letters.ts";

const eventId = newEventId();
const letter = (stage: DeadLetter["stage"], body: Buffer): DeadLetter => ({
  id: eventId,
  domain: "purchases",
  stage,
  state: "open",
  queue: "tally.ingest.purchases",
  messageId: "m",
  reason: "r",
  diedAt: 0,
  body,
});

test("a replayed event has the version of its domain, so that no earlier writer takes it for an earlier one", () => {
  const body = packEvent(encodeEvent({ id: eventId }));
  for (const stage of ["rejected", "conflict"] as const) {
    const replay = replayOf(letter(stage, body), "tally", new BatchIds(), 2);
    expect(JSON.parse(replay.body.toString())).toMatchObject({ eventVersion: 2, events: [{ id: eventId }] });
  }
});

test("a replayed message is the one that was kept, with its own version", () => {
  const body = Buffer.from('{"v":1,"eventVersion":3}');
  expect(replayOf(letter("message", body), "tally", new BatchIds(), 2).body).toBe(body);
});

test.each([`batch 0:7 ${foreignBatchReason}`, "sequence: expected a number up to 7, got 8"])(
  "a replayed batch with the reason %s has a new id, and its events with their bytes",
  (reason) => {
    const events = [{ id: eventId, name: '{"v":1,"producer":"é"', image: Buffer.from([0x0a, 0xff, 0x00]) }].map(
      encodeEvent,
    );
    const id = { producer: "0123456789abcdef", sequence: 7 };
    const next = { producer: "fedcba9876543210", sequence: 4_294_967_295 };
    const batches = Object.assign(new BatchIds(), { next: () => next });
    const head = '"v":1,"eventVersion":3,';
    // Also as an earlier release, and as other programs may write it.
    for (const own of [head, '"v":1,', '"eventVersion":3,"v":1,', '"v" :1, "eventVersion": 3,']) {
      const bodyOf = (batch: typeof id, written: string) =>
        Buffer.from(encodeBatch(batch, 5, events, 3).toString("latin1").replace(head, written), "latin1");
      const replay = replayOf({ ...letter("message", bodyOf(id, own)), reason }, "tally", batches, 9);
      expect(replay.messageId).toBe("fedcba9876543210:4294967295");
      expect(replay.body).toEqual(bodyOf(next, own.replaceAll(" ", "")));
    }
  },
);
