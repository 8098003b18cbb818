/** What the load is made of; goes to its thread. */
export interface LoadPlan {
  /** The gateways. Each event goes to one of them, and to the next when that one fails. */
  readonly urls: readonly string[];
  /** Their names; each gets as many events as the other. */
  readonly domains: readonly string[];
  readonly eventsPerSecond: number;
  /** Events under way at once; when so many wait, no further ones are begun. */
  readonly tills: number;
  readonly seed: number;
  readonly spread: "narrow" | "wide";
  /** Takes the files with the ids of the events that were answered 2xx, see id-files.ts. */
  readonly directory: string;
}

/** What clients saw in some span of time. */
export interface Figures {
  /** Events that were answered 2xx for the first time. */
  readonly acknowledged: number;
  /** Requests by what they were answered. */
  readonly answers: Readonly<Record<string, number>>;
  /** Requests whose connection was refused or ended before the answer. */
  readonly broken: number;
  /** Requests without an answer for 10 s. */
  readonly silent: number;
  /** The longest time without any 2xx, in ms. */
  readonly longestGapMs: number;
  /** The slowest 2xx, in ms. */
  readonly slowestMs: number;
}

export interface Totals {
  readonly seconds: number;
  readonly acknowledged: number;
  readonly domains: readonly DomainTotals[];
  /** Events that were never answered 2xx, however often they were sent: they may be stored or not. */
  readonly unknown: number;
  /** Events that were sent once more after their 2xx, or to two gateways at once. */
  readonly repeated: number;
  /** Repetitions that were given another id than the event had. */
  readonly otherIds: number;
  /** Requests that sent another event with the key of an acknowledged one, and what became of them. */
  readonly reused: { readonly rejected: number; readonly acknowledged: number };
  /** Bulk requests of which a part was sent again. */
  readonly partialRetries: number;
  /** Requests that were answered with anything but 2xx, 503 and what was expected, and the first of those answers. */
  readonly refused: number;
  readonly firstRefusal: string | undefined;
}

/** What was acknowledged of one domain. */
export interface DomainTotals {
  readonly domain: string;
  /** POSTs; where the same content is the same event, there may be fewer events. */
  readonly acknowledged: number;
  /** What they add to all boards together; undefined where that cannot be known of each by itself. */
  readonly units: number | undefined;
}

/** Questions to the thread, and the type of each answer. */
export interface Questions {
  /** What clients saw since the last time this was asked. */
  figures: Figures;
  /** Sends one event of each domain to one gateway until all are acknowledged; their ids. */
  probe: readonly string[];
  /** Begins no more events, waits for those under way, closes the files. */
  finish: Totals;
}

export interface Ask {
  readonly request: number;
  readonly question: keyof Questions;
  /** Of a probe: the number of the gateway. */
  readonly gateway: number;
}

export interface Answer {
  readonly request: number;
  readonly answer: Questions[keyof Questions];
}
