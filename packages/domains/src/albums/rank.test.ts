import { Moves } from "@tally/pipeline";
import { expect, test } from "vitest";
import { rank } from "./rank.ts";

const batch = { producer: "0123456789abcdef", sequence: 0 };
const review = (albumId: string, liked: boolean) =>
  ({ batch, event: { kind: "review", id: "", albumId, liked } }) as const;

test("each review counts for its album on the board of its kind, summed over the batch; an album counts nowhere", () => {
  const [one, two] = ["01a1fb30-2980-71ee-89cd-4f71757df440", "01a1fb30-2980-71ee-89cd-4f71757df441"] as const;
  const moves = new Moves();
  const album = { kind: "album", id: one, artist: "", title: "", year: "", imageType: "image/png" } as const;
  rank(
    [
      { batch, event: { ...album, image: Buffer.alloc(1) } },
      review(one, true),
      review(two, false),
      review(one, true),
      review(one, false),
    ],
    moves,
  );
  expect(
    Object.fromEntries([...moves.boards()].map(([board, members]) => [board, Object.fromEntries(members)])),
  ).toEqual({
    likes: { "01a1fb30298071ee89cd4f71757df440": 2 },
    dislikes: { "01a1fb30298071ee89cd4f71757df441": 1, "01a1fb30298071ee89cd4f71757df440": 1 },
  });
});
