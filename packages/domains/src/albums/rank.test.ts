import { expect, test } from "vitest";
import { boardsOf, changeOf } from "../boards-of.fixture.ts";
import type { AlbumsEvent } from "./event.ts";
import { rank } from "./rank.ts";

test("counts each review for its album on the board of its kind; an album counts nowhere", () => {
  const [one, two] = ["01a1fb30-2980-71ee-89cd-4f71757df440", "01a1fb30-2980-71ee-89cd-4f71757df441"] as const;
  const profile = { artist: "", title: "", year: "" };
  const review = (albumId: string, liked: boolean) => changeOf<AlbumsEvent>({ kind: "review", id: "", albumId, liked });
  const changes = [
    changeOf<AlbumsEvent>({ kind: "album", id: one, ...profile, imageType: "image/png", image: Buffer.alloc(1) }),
    review(one, true),
    review(two, false),
    review(one, true),
    review(one, false),
  ];
  expect(boardsOf(rank, changes)).toEqual({
    likes: { "01a1fb30298071ee89cd4f71757df440": 2 },
    dislikes: { "01a1fb30298071ee89cd4f71757df441": 1, "01a1fb30298071ee89cd4f71757df440": 1 },
  });
});
