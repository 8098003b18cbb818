/*
 * Redis orders members of equal score by their bytes, so "9" would stand before "100" only by chance of its digits. A
 * number is therefore written behind its count of digits: 95351 is "595351", 100 is "3100". Then bytes order as numbers
 * do, and up to nine digits the whole is still an integer to Redis, which packs it in 2 to 8 bytes.
 */
const digitCounts = "0123456789abcdefg";
const number = /^(0|[1-9][0-9]{0,15})$/;

/** The member of a sorted set that stands for an id. Any text that is no decimal number sorts behind all numbers. */
export function encodeMember(id: string): string {
  return number.test(id) ? digitCounts.charAt(id.length) + id : `z${id}`;
}

/** The inverse of encodeMember. */
export function decodeMember(member: string): string {
  return member.slice(1);
}
