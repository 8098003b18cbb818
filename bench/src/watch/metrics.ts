/** Sums of metrics over all labels and services. Sends one request to each service. */
export async function sumsOfMetrics<N extends string>(
  urls: readonly string[],
  names: readonly N[],
): Promise<ReadonlyMap<N, number>> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  return new Map(names.map((name) => [name, texts.reduce((total, text) => total + sumIn(text, name), 0)]));
}

function sumIn(text: string, name: string): number {
  let sum = 0;
  for (const line of text.split("\n")) {
    if (!line.startsWith(name)) continue;
    const next = line[name.length];
    if (next === " " || next === "{") sum += Number(line.slice(line.lastIndexOf(" ") + 1));
  }
  return sum;
}
