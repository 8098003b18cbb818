import type { Domain, SeriesSettings } from "@tally/contract";
import { albums } from "./albums/albums.ts";
import { liftrides } from "./liftrides/liftrides.ts";
import { purchases } from "./purchases/purchases.ts";
import { measures } from "./purchases/series.ts";
import { steps } from "./steps/steps.ts";
import { swipes } from "./swipes/swipes.ts";

export { measures };

/** The settings WINDOWS and BY as the rankings take them. */
export const liveSeries = ({ windows, by }: SeriesSettings): SeriesSettings => ({
  windows,
  by: by.filter((measure) => measure !== measures[0]),
});

export { albumIdOf } from "./albums/album-lookup.ts";

/** Every domain of this system. A new one is a folder beside this file and a line here: docs/new-domain.md. */
export const domains: readonly Domain[] = [purchases, albums, liftrides, steps, swipes];

/** Those of these names, in the order of `domains`. */
export const servedDomains = (names: readonly string[]): readonly Domain[] =>
  domains.filter(({ name }) => names.includes(name));
