/** Posts one sale in a store. Default: 4 pieces of item 9, to customer 1, without an Idempotency-Key. */
export function sell(
  url: string,
  store: number | string,
  { item = 9, quantity = 4, customer = 1, headers = {} }: Sale = {},
): Promise<Response> {
  return fetch(`${url}/purchase/${store}/customer/${customer}/date/20261120`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ items: [{ ItemID: item, numberOfItems: quantity }] }),
  });
}

interface Sale {
  readonly item?: number;
  readonly quantity?: number;
  readonly customer?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Likewise; throws unless it is acknowledged. Returns the event's id. */
export async function sold(...sale: Parameters<typeof sell>): Promise<string> {
  const response = await sell(...sale);
  const text = await response.text();
  if (response.status !== 201) throw new Error(`a sale got ${response.status}: ${text}`);
  return response.headers.get("tally-event-id") ?? "";
}
