/*
 * A board's name begins with how it is kept, so that whoever writes it and whoever reads it agree.
 */

/** A board of some hundred members at the most: kept as small as possible. */
export function smallBoard(name: string): string {
  return `b:${name}`;
}

/** A board of thousands of members, most of them with equal counts: kept so that equal counts cost nothing. */
export function wideBoard(name: string): string {
  return `w:${name}`;
}
