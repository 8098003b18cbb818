/** What an event says, without its id, as plain JSON; the same shape whether it was read from a request or from the rows. */
export type StoredContent =
  | {
      readonly kind: "purchase";
      readonly store: number;
      readonly customer: number;
      readonly date: string;
      /** [item, quantity] */
      readonly items: readonly (readonly [number, number])[];
    }
  | {
      readonly kind: "swipe";
      readonly swiper: number;
      readonly swipee: number;
      readonly liked: boolean;
      readonly comment: string;
    }
  | {
      readonly kind: "ride";
      readonly resort: string;
      readonly season: number;
      readonly day: number;
      readonly skier: number;
      readonly minute: number;
      readonly lift: number;
    }
  | {
      readonly kind: "steps";
      readonly user: number;
      readonly day: number;
      readonly hour: number;
      readonly steps: number;
    }
  | {
      readonly kind: "album";
      readonly artist: string;
      readonly title: string;
      readonly year: string;
      /** SHA-256 of the image's bytes. */
      readonly image: string;
    }
  | { readonly kind: "review"; readonly album: string; readonly liked: boolean };

/** The content of one kind. */
export type ContentOf<K extends StoredContent["kind"]> = Extract<StoredContent, { readonly kind: K }>;
