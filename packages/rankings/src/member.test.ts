import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeMember, encodeMember } from "./member.ts";

const id = fc.maxSafeNat();

test("members of equal score stand in the order of their ids, as the contract's tie rule wants", () => {
  fc.assert(
    fc.property(id, id, (a, b) => {
      const order = Buffer.compare(Buffer.from(encodeMember(String(a))), Buffer.from(encodeMember(String(b))));
      expect(order).toBe(Math.sign(a - b));
    }),
  );
});

test("an id survives the way into a member and back, whatever text it is", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), id.map(String)), (text) => {
      expect(decodeMember(encodeMember(text))).toBe(text);
    }),
  );
});

test("a text never becomes the member of a number", () => {
  fc.assert(
    fc.property(fc.string(), id, (text, number) => {
      fc.pre(text !== String(number));
      expect(encodeMember(text)).not.toBe(encodeMember(String(number)));
    }),
  );
});
