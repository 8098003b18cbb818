/** Asks a gateway where an event is. Rejects without a response in time. */
export async function eventState(url: string, id: string, withinMs: number) {
  const response = await fetch(`${url}/events/${id}`, { signal: AbortSignal.timeout(withinMs) });
  const body: unknown = await response.json();
  const is = (name: string): boolean => typeof body === "object" && body !== null && Reflect.get(body, name) === true;
  return { stored: is("stored"), ranked: is("ranked") };
}
