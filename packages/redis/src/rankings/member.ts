/*
 * Redis orders members of equal score by their bytes, which would place "100" before "9". So the count of its digits precedes a
 * number: 95351 is "595351", 100 is "3100". Then bytes order like numbers, and up to nine digits Redis still stores the whole as an
 * integer, in 2 to 8 bytes.
 */
const digitCounts = "0123456789abcdefg";
const number = /^(0|[1-9][0-9]{0,15})$/;

/** The member of a sorted set for an id. Text that is not a decimal number sorts after all numbers. */
export function encodeMember(id: string): string {
  return number.test(id) ? digitCounts.charAt(id.length) + id : `z${id}`;
}

/** The inverse of encodeMember. */
export function decodeMember(member: string): string {
  return member.slice(1);
}
