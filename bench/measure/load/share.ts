/** One of several nearly equal parts of a whole number; they add up to it. */
export function share(whole: number, index: number, parts: number): number {
  return Math.floor(whole / parts) + (index < whole % parts ? 1 : 0);
}
