import type { EventFiles } from "@tally/contract";

/** Swipes in files, in the order in which they were accepted, because of two swipes of one pair the newest counts. */
export const files: EventFiles = {
  fields: ["leftorright", "swiper", "swipee", "comment"],
  select: "SELECT id, CASE liked WHEN 1 THEN 'right' ELSE 'left' END, swiper, swipee, comment FROM swipes",
  order: "taken_at, id",
  filters: {},
};
