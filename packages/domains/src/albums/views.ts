import type { View } from "@tally/contract";

/** The albums with the most likes or dislikes, with their images. */
export const views: readonly View[] = [
  {
    name: "top-albums",
    title: "Top albums",
    params: [{ name: "by", label: "By", kind: "choice", default: "likes", choices: ["likes", "dislikes"] }],
    path: "/albums/top?limit=10&by={by}",
    list: "albums",
    member: { field: "albumID", label: "Album" },
    count: { field: "count", label: "Reviews" },
    image: "/albums/{albumID}/image",
  },
];
