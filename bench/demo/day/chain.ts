/** A time zone of the chain. Its stores open, sell most and close by its local time. */
export interface Zone {
  readonly name: string;
  readonly utcOffsetHours: number;
}

export interface Store {
  readonly id: number;
  readonly zone: Zone;
  /** Of all purchases of the chain, 0 to 1. */
  readonly share: number;
}

/** As the stores of source S4; the day of the chain begins in the first. */
export const zones: readonly [Zone, Zone, Zone] = [
  { name: "east", utcOffsetHours: -5 },
  { name: "central", utcOffsetHours: -6 },
  { name: "west", utcOffsetHours: -8 },
];

// The second store of a zone sells four fifths of the first, the third two thirds, and so on.
const smallerBy = 0.25;

/** The stores of all zones, numbered from 1: first those of the east. In a zone each sells less than the one before. */
export function storesOf(perZone: number): readonly Store[] {
  const weights = Array.from({ length: perZone }, (_, index) => 1 / (1 + smallerBy * index));
  const sum = weights.reduce((total, weight) => total + weight, 0) * zones.length;
  return zones.flatMap((zone, index) =>
    weights.map((weight, place) => ({ id: index * perZone + place + 1, zone, share: weight / sum })),
  );
}
