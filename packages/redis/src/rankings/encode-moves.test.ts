import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeMember, encodeMember } from "./encode-moves.ts";

const id = fc.maxSafeNat();

test("members of equal score are in the order of their ids, as the contract requires", () => {
  fc.assert(
    fc.property(id, id, (a, b) => {
      const order = Buffer.compare(Buffer.from(encodeMember(String(a))), Buffer.from(encodeMember(String(b))));
      expect(order).toBe(Math.sign(a - b));
    }),
  );
});

test("any id can be encoded as a member and decoded", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), id.map(String)), (text) => {
      expect(decodeMember(encodeMember(text))).toBe(text);
    }),
  );
});
