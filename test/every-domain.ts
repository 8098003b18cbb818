import { field, file, formOf, formType, picture } from "./http/form.ts";

/** A POST of one event, in two versions with different content for one key. */
export interface TwoContents {
  readonly name: string;
  readonly first: Post;
  readonly other: Post;
}

export interface Post {
  readonly path: string;
  readonly body: string | Buffer;
  readonly type: string;
}

const json = (path: string, body: object): Post => ({ path, body: JSON.stringify(body), type: "application/json" });
const sale = (quantity: number): Post =>
  json("/purchase/7/customer/1/date/20261120", { items: [{ ItemID: 9, numberOfItems: quantity }] });
const swipe = (path: string, comment: string): Post => json(path, { swiper: "3", swipee: "4", comment });
const steps = (count: number): Post => ({ path: `/steps/5/1/0/${count}`, body: "", type: "text/plain" });
const profile = (title: string) => field("profile", JSON.stringify({ artist: "A", title, year: "2000" }));
const album = (title: string, imageBytes: number): Post => ({
  path: "/albums",
  body: formOf([file("image", picture("png", imageBytes)), profile(title)]),
  type: formType.replace("Content-Type: ", ""),
});

/** One pair for each way in which two events can differ; every pair is meant for a key that is not used otherwise. */
export const twoContents: readonly TwoContents[] = [
  { name: "a sale of another quantity", first: sale(1), other: sale(2) },
  { name: "a swipe to the other side", first: swipe("/swipe/left", "a"), other: swipe("/swipe/right", "a") },
  { name: "a swipe with another comment", first: swipe("/swipe/left", "a"), other: swipe("/swipe/left", "b") },
  { name: "other steps", first: steps(1), other: steps(2) },
  { name: "an album with another title", first: album("T", 100), other: album("U", 100) },
  { name: "an album with another image", first: album("T", 300_000), other: album("T", 300_001) },
];
