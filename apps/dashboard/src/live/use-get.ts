import { useEffect, useState } from "preact/hooks";
import { apiKey } from "../http/api-key.ts";
import { CallError, get } from "../http/call.ts";

/** The response of a GET, or why there is none. */
export interface Got<T> {
  readonly body?: T;
  readonly problem?: string;
}

/** Reads once what does not change, such as the report of a run. undefined: reads nothing. */
export function useGet<T>(path: string | undefined): Got<T> {
  const [held, setHeld] = useState<{ readonly path: string; readonly got: Got<T> }>();
  const key = apiKey.value;
  useEffect(() => {
    if (path === undefined) return;
    const stopped = new AbortController();
    const keep = (got: Got<T>): void => {
      if (!stopped.signal.aborted) setHeld({ path, got });
    };
    void get<T>(path, stopped.signal).then(
      (body) => keep({ body }),
      (error: unknown) => keep({ problem: error instanceof CallError ? error.message : String(error) }),
    );
    return () => stopped.abort();
  }, [path, key]);
  return held?.path === path ? (held?.got ?? {}) : {};
}
