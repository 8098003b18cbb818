import { BatchIds, encodeEvent, newEventId, packEvent } from "@tally/contract";
import { expect, test } from "vitest";
import { replayOf, type DeadLetter } from "./letters.ts";

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
  for (const stage of ["event", "conflict"] as const) {
    const replay = replayOf(letter(stage, body), "tally", new BatchIds(), 2);
    expect(JSON.parse(replay.body.toString())).toMatchObject({ eventVersion: 2, events: [{ id: eventId }] });
  }
});

test("a replayed message is the one that was kept, with its own version", () => {
  const body = Buffer.from('{"v":1,"eventVersion":3}');
  expect(replayOf(letter("message", body), "tally", new BatchIds(), 2).body).toBe(body);
});
