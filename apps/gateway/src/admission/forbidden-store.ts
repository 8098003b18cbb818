import type { Grant } from "@tally/access";

/**
 * Why a key must not read or write a store; undefined when it may. `store` undefined: the request is about no store or about several, which
 * is not for keys that are limited to stores.
 */
export function forbiddenStore(grant: Grant | undefined, store: number | string | undefined): string | undefined {
  if (grant?.stores === undefined) return undefined;
  if (store === undefined) return "expected an API key for all stores, got one that is limited to some";
  return grant.stores.has(String(store)) ? undefined : `expected an API key for store ${store}, got one for others`;
}
