import { Type, type Static } from "typebox";
import { EventId, StoredNumber } from "../stored-values.ts";

/** What one user thought of another, as it travels and as it is stored. `at`: when the gateway took it, in ms since 1970. */
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
