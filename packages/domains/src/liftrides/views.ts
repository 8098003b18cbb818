import type { View } from "@tally/contract";

/** The skiers with the most vertical of a day at a resort. */
export const views: readonly View[] = [
  {
    name: "top-skiers",
    title: "Top skiers of a day",
    params: [
      { name: "resort", label: "Resort", kind: "text", default: "silverMt" },
      { name: "dayID", label: "Day", kind: "id", default: "1" },
      { name: "season", label: "Season", kind: "id" },
    ],
    path: "/resort/day/top10vert?resort={resort}&dayID={dayID}&season={season}",
    list: "topTenSkiers",
    member: { field: "skierID", label: "Skier" },
    // The published specification misspells it (contract, section 4).
    count: { field: "VertcialTotal", label: "Vertical" },
    bars: true,
  },
];
