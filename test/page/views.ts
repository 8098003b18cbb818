/** Every view of the page with seeded data, by the heading that shows that it is there. */
export const views = [
  { name: "stores", hash: "#/stores", heading: "Stores" },
  { name: "store", hash: "#/stores/7", heading: "Store 7" },
  { name: "item", hash: "#/items/80571", heading: "Item 80571" },
  { name: "skiers", hash: "#/boards/liftrides/top-skiers", heading: "Top skiers of a day" },
  { name: "steps", hash: "#/boards/steps/top-users", heading: "Steps of a day" },
  { name: "swipes", hash: "#/boards/swipes/top-users", heading: "Most liked users" },
  { name: "albums", hash: "#/boards/albums/top-albums", heading: "Top albums" },
  { name: "pipeline", hash: "#/pipeline", heading: "Pipeline" },
  { name: "dead-letters", hash: "#/dead-letters", heading: "Dead letters" },
  { name: "runs", hash: "#/runs", heading: "Runs" },
  {
    name: "runs-side-by-side",
    hash: "#/runs?a=2026-11-20T08-00-00.000Z-batched.json&b=2026-11-21T08-00-00.000Z-batched.json",
    heading: "Runs",
  },
] as const;
