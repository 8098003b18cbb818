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
] as const;
