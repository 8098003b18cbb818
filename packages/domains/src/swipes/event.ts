import { Type, type Static } from "typebox";
import { closed, EventId, StoredNumber } from "../values.ts";

/** A swipe of one user on another, in messages and as stored. `at`: when the gateway accepted it, in ms since 1970. */
export const SwipeEvent = closed({
  id: EventId,
  swiper: StoredNumber,
  swipee: StoredNumber,
  /** Swiped right. */
  liked: Type.Boolean({ expected: "true or false" }),
  at: StoredNumber,
  comment: Type.String({ expected: "a text" }),
});
export type SwipeEvent = Static<typeof SwipeEvent>;
