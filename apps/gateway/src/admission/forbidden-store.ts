import type { Grant } from "@tally/access";

/**
 * Why a key may not read or write a store; undefined when it may. `store` undefined: the request is about no store or several, so keys that
 * are limited to stores may not send it.
 */
export function forbiddenStore(grant: Grant | undefined, store: number | string | undefined): string | undefined {
  if (grant?.stores === undefined) return undefined;
  if (store === undefined) return "expected an API key for all stores, got one that is limited to some";
  return grant.stores.has(String(store)) ? undefined : `expected an API key for store ${store}, got one for others`;
}
