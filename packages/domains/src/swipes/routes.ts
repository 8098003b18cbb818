import { ingestRoute } from "@tally/pipeline";
import { Type } from "typebox";
import { ids, texts } from "../request-values.ts";
import type { SwipeEvent } from "./event.ts";

const swipe = ingestRoute({
  path: "/swipe/:leftorright",
  params: Type.Object({
    leftorright: Type.Union([Type.Literal("left"), Type.Literal("right")], { expected: "left or right" }),
  }),
  body: Type.Object(
    {
      swiper: ids.Value,
      swipee: ids.Value,
      comment: Type.Optional(texts(256)),
    },
    { additionalProperties: false, expected: "an object with swiper, swipee and comment" },
  ),
  scope: (_params, { swiper }) => `swipes/${Number(swiper)}`,
  toEvent: (id, { leftorright }, { swiper, swipee, comment }): SwipeEvent => ({
    id,
    swiper: ids.parse("swiper", swiper),
    swipee: ids.parse("swipee", swipee),
    liked: leftorright === "right",
    at: Date.now(),
    comment: comment ?? "",
  }),
  status: 201,
});

/** New swipes. */
export const routes = [swipe];
