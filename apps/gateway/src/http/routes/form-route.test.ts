import { expect, test } from "vitest";
import { formOf } from "./form-route.ts";

test.each([67, 100_000])("a part of %i bytes keeps no other bytes of its request in memory", async (length) => {
  const form = new FormData();
  form.set("image", new Blob([new Uint8Array(length).fill(7)]));
  form.set("other", new Blob([new Uint8Array(200_000)]));
  const request = new Response(form);
  const body = Buffer.from(await request.arrayBuffer());
  const { image } = await formOf(request.headers.get("content-type") ?? undefined, body, 1_000_000);
  expect(image?.bytes).toEqual(Buffer.alloc(length, 7));
  expect(image?.bytes.buffer.byteLength).toBe(length);
});
