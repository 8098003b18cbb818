import type { paths } from "@tally/client";
import { useEffect, useState } from "preact/hooks";
import { feed, type Watched } from "./live-feed.ts";

export interface Live<T> extends Watched {
  readonly body?: T;
}

/** The JSON of a GET route, by its path in the API reference. */
export type BodyOf<Path extends keyof paths> = paths[Path] extends {
  readonly get: { readonly responses: { readonly 200: { content: { readonly "application/json": infer Body } } } };
}
  ? Body
  : never;

const unwatched: Watched = {};

/** Keeps the response of a GET route current. undefined: watches nothing. The component renders at each change. */
export function useWatch<T>(path: string | undefined): Live<T> {
  const [held, setHeld] = useState<{ readonly path: string; readonly value: Watched }>();
  useEffect(() => {
    if (path === undefined) return;
    const { value, release } = feed.watch(path);
    const unsubscribe = value.subscribe((next) => setHeld({ path, value: next }));
    return () => {
      unsubscribe();
      release();
    };
  }, [path]);
  const value = held?.path === path ? held?.value : undefined;
  // The gateway serves page and data in one version, so a body has the type of its route.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (value ?? unwatched) as Live<T>;
}
