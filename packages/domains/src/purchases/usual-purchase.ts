import type { EncodedEvent } from "@tally/contract";
import { ids } from "../values.ts";
import { isUpToTomorrowEverywhere, parseCalendarDate } from "./calendar-date.ts";

/*
 * Encodes the body that nearly all clients send, {"items":[{"ItemID":"85571","numberOfItems":1},…]}, from its bytes:
 * the digits are copied into the items of the event. Spaces may follow a token. Takes a tenth of the time of parsing,
 * checking and printing the values.
 */

const ascii = new TextEncoder();
const opening = ascii.encode('{"items":');
const list = ascii.encode("[");
const itemId = ascii.encode('{"ItemID":');
const quote = ascii.encode('"');
const comma = ascii.encode(",");
const quantity = ascii.encode('"numberOfItems":');
const itemEnd = ascii.encode("}");
const closing = ascii.encode("]}");

const space = 0x20;
const zero = 0x30;
const nine = 0x39;

// Holds fewer items than a purchase may have, and longer numbers are left to the parser, which checks their range.
const bytesMax = 4096;
const idDigitsMax = 15;
const quantityDigitsMax = 6;

// Shared by all calls: the position in the body, and the items as text, which are shorter than the body.
let at = 0;
const items = Buffer.alloc(bytesMax);
let itemsEnd = 0;

const none: readonly Buffer[] = [];

type Params = Readonly<Record<"storeID" | "custID" | "date", string>>;

/** undefined for any other body, and for a date that some time zones reject. Throws InvalidInput for wrong params. */
export function encodeUsualPurchase(id: string, params: Params, body: Uint8Array): EncodedEvent | undefined {
  if (!copyItems(body)) return undefined;
  const storeId = ids.parse("storeID", params.storeID);
  const customerId = ids.parse("custID", params.custID);
  const date = parseCalendarDate("date", params.date);
  if (!isUpToTomorrowEverywhere(date)) return undefined;
  const text = items.toString("latin1", 0, itemsEnd);
  const json = `{"id":"${id}","storeId":${storeId},"customerId":${customerId},"date":${date},"lines":[${text}]}`;
  return { json, bytes: none, size: json.length };
}

function copyItems(body: Uint8Array): boolean {
  if (body.length > bytesMax) return false;
  at = 0;
  itemsEnd = 0;
  if (!skip(body, opening) || !skip(body, list)) return false;
  do {
    if (itemsEnd > 0) put(0x2c);
    put(0x5b);
    if (!skip(body, itemId)) return false;
    const isText = body[at] === 0x22;
    if (isText) at++;
    if (!copyNumber(body, idDigitsMax) || (isText && !skip(body, quote))) return false;
    put(0x2c);
    if (!skip(body, comma) || !skip(body, quantity)) return false;
    // The quantity 0 is invalid.
    if (body[at] === zero || !copyNumber(body, quantityDigitsMax)) return false;
    put(0x5d);
    if (!skip(body, itemEnd)) return false;
  } while (skip(body, comma));
  return skip(body, closing) && at === body.length;
}

/** Skips a token and the spaces after it; false, and skips nothing, when the body continues with something else. */
function skip(body: Uint8Array, token: Uint8Array): boolean {
  for (let i = 0; i < token.length; i++) if (body[at + i] !== token[i]) return false;
  at += token.length;
  while (body[at] === space) at++;
  return true;
}

/** Copies digits. Returns false for none, too many, and leading zeros. */
function copyNumber(body: Uint8Array, digitsMax: number): boolean {
  const start = at;
  for (let digit = body[at]; digit !== undefined && digit >= zero && digit <= nine; digit = body[++at]) put(digit);
  const count = at - start;
  return count > 0 && count <= digitsMax && (body[start] !== zero || count === 1);
}

function put(byte: number): void {
  items[itemsEnd++] = byte;
}
