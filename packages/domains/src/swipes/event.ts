import { Type, type Static } from "typebox";
import { EventId, StoredNumber } from "../stored-values.ts";

/** A swipe of one user on another, in messages and as stored. `at`: when the gateway accepted it, in ms since 1970. */
export const SwipeEvent = Type.Object(
  {
    id: EventId,
    swiper: StoredNumber,
    swipee: StoredNumber,
    /** Swiped right. */
    liked: Type.Boolean({ expected: "true or false" }),
    at: StoredNumber,
    comment: Type.String({ expected: "a text" }),
  },
  { additionalProperties: false },
);
export type SwipeEvent = Static<typeof SwipeEvent>;
