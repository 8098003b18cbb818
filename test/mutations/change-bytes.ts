import type { Draw } from "./draw.ts";

/** Flips, inserts, deletes or duplicates bytes, one to four times. */
export function changeBytes(bytes: Buffer, draw: Draw): Buffer {
  let changed = bytes;
  for (let times = draw.integer(1, 4); times > 0; times--) changed = draw.pick(changes)(changed, draw);
  return changed;
}

type Change = (bytes: Buffer, draw: Draw) => Buffer;

const place = (bytes: Buffer, draw: Draw): number => draw.integer(0, Math.max(0, bytes.length - 1));
const likely = Buffer.from('{}[]",:\\\0\r\n \t%-/?#&=;0019eE.+\xff\x7f\xed\xa0\x80', "latin1");

const flip: Change = (bytes, draw) => {
  if (bytes.length === 0) return bytes;
  const changed = Buffer.from(bytes);
  const at = place(bytes, draw);
  changed[at] = (changed[at] ?? 0) ^ (1 << draw.integer(0, 7));
  return changed;
};

const insert: Change = (bytes, draw) => {
  const at = place(bytes, draw);
  const from = draw.integer(0, likely.length - 1);
  const inserted = draw.once(2) ? likely.subarray(from, from + 1) : Buffer.of(draw.integer(0, 255));
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
};

const drop: Change = (bytes, draw) => {
  const at = place(bytes, draw);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + draw.integer(1, 4))]);
};

const repeat: Change = (bytes, draw) => {
  const at = place(bytes, draw);
  const end = at + draw.integer(1, 30);
  const part = bytes.subarray(at, end);
  return Buffer.concat([
    bytes.subarray(0, end),
    ...Array.from({ length: draw.integer(1, 3) }, () => part),
    bytes.subarray(end),
  ]);
};

const swap: Change = (bytes, draw) => {
  const at = place(bytes, draw);
  const length = draw.integer(1, 8);
  const [one, two] = [bytes.subarray(at, at + length), bytes.subarray(at + length, at + 2 * length)];
  return Buffer.concat([bytes.subarray(0, at), two, one, bytes.subarray(at + 2 * length)]);
};

const changes: readonly [Change, ...Change[]] = [flip, insert, drop, repeat, swap];
