import { Type } from "typebox";

const decimals = 4;

/** Money in requests: text, because a client may round a number. */
export const Money = Type.String({
  pattern: `^[0-9]{1,12}(\\.[0-9]{1,${decimals}})?$`,
  expected: `an amount as text such as "1.99", at most 12 digits before the point and ${decimals} after it`,
});

/** "1.99" → 19900. Exact up to 2^53 - 1; what is more stays more. */
export function parseMoney(text: string): number {
  const [whole = "", fraction = ""] = text.split(".");
  return Number(whole + fraction.padEnd(decimals, "0"));
}

/** 19900 → "1.9900", -19900 → "-1.9900". */
export function moneyText(amount: number): string {
  if (amount < 0) return `-${moneyText(-amount)}`;
  const digits = String(amount).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
