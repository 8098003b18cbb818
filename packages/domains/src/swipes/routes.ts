import { eventTimeOf, ingestRoute, type EventFiles } from "@tally/contract";
import { Type } from "typebox";
import { closed, ids, texts } from "../values.ts";
import type { SwipeEvent } from "./event.ts";
import { table } from "./store.ts";

const swipe = ingestRoute({
  path: "/swipe/:leftorright",
  summary: "`right`: a user likes another; `left`: dislikes",
  params: Type.Object({
    leftorright: Type.Union([Type.Literal("left"), Type.Literal("right")], { expected: "left or right" }),
  }),
  body: closed(
    { swiper: ids.Value, swipee: ids.Value, comment: Type.Optional(texts(256)) },
    { expected: "an object with swiper, swipee and comment" },
  ),
  scope: (_params, { swiper }) => `swipes/${Number(swiper)}`,
  toEvent: (id, { leftorright }, { swiper, swipee, comment }): SwipeEvent => ({
    id,
    swiper: ids.parse("swiper", swiper),
    swipee: ids.parse("swipee", swipee),
    liked: leftorright === "right",
    // Ids of one gateway go back less often than its clock.
    at: eventTimeOf(id) ?? Date.now(),
    comment: comment ?? "",
  }),
  status: 201,
  examples: {
    "a like": {
      params: { leftorright: "right" },
      body: { swiper: "3", swipee: "4", comment: "nice dog" },
      idempotencyKey: "phone-3-000001",
    },
    "a like back": {
      params: { leftorright: "right" },
      body: { swiper: 4, swipee: 3 },
      idempotencyKey: "phone-4-000001",
    },
    "a dislike": { params: { leftorright: "left" }, body: { swiper: 3, swipee: 5 }, idempotencyKey: "phone-3-000002" },
  },
});

export const routes = [swipe];

/** Swipes in files, in the order in which they were accepted, because of two swipes of one pair the newest counts. */
export const files: EventFiles<SwipeEvent> = {
  rows: table,
  fields: {
    leftorright: ({ liked }) => (liked ? "right" : "left"),
    swiper: ({ swiper }) => swiper,
    swipee: ({ swipee }) => swipee,
    comment: ({ comment }) => comment,
  },
  order: "taken_at, id",
  filters: {},
};
