import { ingestRoute, InvalidInput } from "@tally/pipeline";
import { Type } from "typebox";
import { ids } from "../request-values.ts";
import type { SwipeEvent } from "./event.ts";

const commentMax = 256;
const expectedComment = `a text of at most ${commentMax} characters`;

const swipe = ingestRoute({
  path: "/swipe/:leftorright",
  params: Type.Object({
    leftorright: Type.Union([Type.Literal("left"), Type.Literal("right")], { expected: "left or right" }),
  }),
  body: Type.Object(
    {
      swiper: ids.Value,
      swipee: ids.Value,
      comment: Type.Optional(Type.String({ maxLength: commentMax, expected: expectedComment })),
    },
    { additionalProperties: false, expected: "an object with swiper, swipee and comment" },
  ),
  scope: (_params, { swiper }) => `swipes/${Number(swiper)}`,
  toEvent(id, { leftorright }, { swiper, swipee, comment = "" }): SwipeEvent {
    // Half of a surrogate pair is no character: it would be stored as another one.
    if (!comment.isWellFormed()) throw new InvalidInput("comment", expectedComment, comment.slice(0, 60));
    return {
      id,
      swiper: ids.parse("swiper", swiper),
      swipee: ids.parse("swipee", swipee),
      liked: leftorright === "right",
      at: Date.now(),
      comment,
    };
  },
  status: 201,
});

/** How swipes come in. */
export const routes = [swipe];
