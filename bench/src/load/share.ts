/** The part of a whole that falls to one of several; together they are the whole. */
export function share(whole: number, index: number, parts: number): number {
  return Math.floor(whole / parts) + (index < whole % parts ? 1 : 0);
}
