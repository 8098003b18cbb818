import type { Random } from "@tally/bench/kit";

/** Flips, inserts, deletes or duplicates bytes, one to four times. */
export function changeBytes(bytes: Buffer, random: Random): Buffer {
  let changed = bytes;
  for (let times = random.integer(1, 4); times > 0; times--) changed = random.pick(changes)(changed, random);
  return changed;
}

type Change = (bytes: Buffer, random: Random) => Buffer;

const place = (bytes: Buffer, random: Random): number => random.integer(0, Math.max(0, bytes.length - 1));
const likely = Buffer.from('{}[]",:\\\0\r\n \t%-/?#&=;0019eE.+\xff\x7f\xed\xa0\x80', "latin1");

const flip: Change = (bytes, random) => {
  if (bytes.length === 0) return bytes;
  const changed = Buffer.from(bytes);
  const at = place(bytes, random);
  changed[at] = (changed[at] ?? 0) ^ (1 << random.integer(0, 7));
  return changed;
};

const insert: Change = (bytes, random) => {
  const at = place(bytes, random);
  const from = random.integer(0, likely.length - 1);
  const inserted = random.once(2) ? likely.subarray(from, from + 1) : Buffer.of(random.integer(0, 255));
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
};

const drop: Change = (bytes, random) => {
  const at = place(bytes, random);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.integer(1, 4))]);
};

const repeat: Change = (bytes, random) => {
  const at = place(bytes, random);
  const end = at + random.integer(1, 30);
  const part = bytes.subarray(at, end);
  return Buffer.concat([
    bytes.subarray(0, end),
    ...Array.from({ length: random.integer(1, 3) }, () => part),
    bytes.subarray(end),
  ]);
};

const swap: Change = (bytes, random) => {
  const at = place(bytes, random);
  const length = random.integer(1, 8);
  const [one, two] = [bytes.subarray(at, at + length), bytes.subarray(at + length, at + 2 * length)];
  return Buffer.concat([bytes.subarray(0, at), two, one, bytes.subarray(at + 2 * length)]);
};

const changes: readonly [Change, ...Change[]] = [flip, insert, drop, repeat, swap];
