import type { View } from "@tally/contract";

/** The most liked users. */
export const views: readonly View[] = [
  {
    name: "top-users",
    title: "Most liked users",
    params: [],
    path: "/swipes/top?limit=10",
    list: "users",
    member: { field: "userID", label: "User" },
    count: { field: "likes", label: "Likes" },
    bars: true,
  },
];
