import { signal } from "@preact/signals";

const storedAs = "tally-api-key";

/** The key that the user has entered; empty: none. Kept until the tab is closed. */
export const apiKey = signal(sessionStorage.getItem(storedAs) ?? "");

export function setApiKey(key: string): void {
  apiKey.value = key;
  if (key === "") sessionStorage.removeItem(storedAs);
  else sessionStorage.setItem(storedAs, key);
}

/** The header of each request to the gateway. */
export function authorization(): Record<string, string> {
  return apiKey.value === "" ? {} : { authorization: `Bearer ${apiKey.value}` };
}
