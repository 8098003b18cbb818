/** What a page says about its source. */
export interface Lesson {
  readonly title: string;
  /** One sentence that ends with a question mark. */
  readonly question: string;
  /** What the source did. */
  readonly experiment: string;
  /** What a reader should know before comparing our figures with the printed ones. */
  readonly comparison: string;
  /** Pairs of rows that differ by one change. */
  readonly changes: readonly Change[];
  readonly sections: readonly { readonly heading: string; readonly paragraphs: readonly string[] }[];
}

/** A change of the design, and the ids of the rows with it and without it. */
export interface Change {
  readonly name: string;
  readonly of: string;
  readonly against: string;
}
