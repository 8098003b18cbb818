import type { AppName } from "@tally/local";

/** A change of the text of one module of the apps, made while it is loaded: the files stay as they are. */
export interface SourceEdit {
  readonly apps: readonly AppName[];
  /** The module, from the root of the checkout. */
  readonly file: string;
  /** Occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Throws when an edit does not fit the text any more: a drill that tests nothing must not pass. */
export function edited(source: string, edits: readonly SourceEdit[]): string {
  return edits.reduce((text, { file, find, replace }) => {
    const [before, after, ...more] = text.split(find);
    if (after === undefined || more.length > 0) {
      throw new Error(
        `${file}: expected exactly once, found ${more.length + (after === undefined ? 0 : 1)} times:\n${find}`,
      );
    }
    return `${before}${replace}${after}`;
  }, source);
}
