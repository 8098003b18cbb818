import { field, file, formOf, formType, picture } from "../http/requests.ts";

export interface Post {
  readonly path: string;
  readonly body: string | Buffer;
  readonly type: string;
}

/** A POST of one event, in two versions with different content for one key. */
interface TwoContents {
  readonly name: string;
  readonly first: Post;
  readonly other: Post;
}

const json = (path: string, body: object): Post => ({ path, body: JSON.stringify(body), type: "application/json" });
const sale = (quantity: number, customer = 1, day = 20): Post =>
  json(`/purchase/7/customer/${customer}/date/202611${day}`, { items: [{ ItemID: 9, numberOfItems: quantity }] });
const swipe = (side: string, comment: string): Post => json(`/swipe/${side}`, { swiper: "3", swipee: "4", comment });
const steps = (count: number): Post => ({ path: `/steps/5/1/0/${count}`, body: "", type: "text/plain" });
const album = (title: string, imageBytes: number): Post => ({
  path: "/albums",
  body: formOf([
    file("image", picture("png", imageBytes)),
    field("profile", JSON.stringify({ artist: "A", title, year: "2000" })),
  ]),
  type: formType.replace("Content-Type: ", ""),
});

/** One pair for each way in which two events can differ. A test uses each pair with a new key. */
export const twoContents: readonly [TwoContents, ...TwoContents[]] = [
  { name: "a sale of another quantity", first: sale(1), other: sale(2) },
  { name: "a sale to another customer", first: sale(1), other: sale(1, 2) },
  { name: "a sale of another day", first: sale(1), other: sale(1, 1, 21) },
  { name: "a swipe to the other side", first: swipe("left", "a"), other: swipe("right", "a") },
  { name: "a swipe with another comment", first: swipe("left", "a"), other: swipe("left", "b") },
  { name: "other steps", first: steps(1), other: steps(2) },
  { name: "an album with another title", first: album("T", 100), other: album("U", 100) },
  { name: "an album with another image", first: album("T", 300_000), other: album("T", 300_001) },
];
