/** The sum of a metric over all its labels, from one or several services' Prometheus texts. */
export async function sumOfMetric(urls: readonly string[], name: string): Promise<number> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  return texts.reduce((total, text) => total + sumIn(text, name), 0);
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
