import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type { AppName } from "./app-server.ts";

/** A change of the text of one module of the apps, made while it is loaded: the files stay as they are. */
export interface SourceEdit {
  /** "admin" is the command `tally`. */
  readonly apps: readonly (AppName | "admin")[];
  /** The module, from the root of the checkout. */
  readonly file: string;
  /** Occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Throws when an edit does not fit the text any more: a drill or bench that changes nothing must not pass for one that does. */
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

/** Edits what this thread loads from now on. To be called by a module that node imports before the app. */
export function registerSourceEdits(root: string, app: string | null, edits: readonly SourceEdit[]): void {
  const base = `${pathToFileURL(root).href}/`;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const own = edits.filter(({ apps, file }) => url === `${base}${file}` && apps.some((name) => name === app));
      if (own.length === 0) return loaded;
      // The modules of apps are files of text.
      return { ...loaded, source: edited(readFileSync(new URL(url), "utf8"), own) };
    },
  });
}
