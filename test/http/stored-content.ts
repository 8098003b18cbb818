/** What an event contains, without its id, as plain JSON. */
interface Contents {
  purchase: {
    store: number;
    customer: number;
    date: string;
    items: readonly (readonly [item: number, count: number])[];
  };
  swipe: { swiper: number; swipee: number; liked: boolean; comment: string };
  /** `skier`: null where the client named none. */
  ride: { resort: string; season: number; day: number; skier: number | null; minute: number; lift: number };
  steps: { user: number; day: number; hour: number; steps: number };
  /** `image`: SHA-256 of its bytes. */
  album: { artist: string; title: string; year: string; image: string };
  review: { album: string; liked: boolean };
}

/** The content of one kind. */
export type ContentOf<K extends keyof Contents> = Readonly<Contents[K]> & { readonly kind: K };

/** The content of any kind; the same shape whether it was read from a request or from the rows. */
export type StoredContent = { readonly [K in keyof Contents]: ContentOf<K> }[keyof Contents];
