import type { View } from "@tally/contract";

/** The users with the most steps of a day. */
export const views: readonly View[] = [
  {
    name: "top-users",
    title: "Steps of a day",
    params: [{ name: "day", label: "Day", kind: "id", default: "1" }],
    path: "/steps/top?limit=10&day={day}",
    list: "users",
    member: { field: "userID", label: "User" },
    count: { field: "steps", label: "Steps" },
    bars: true,
  },
];
