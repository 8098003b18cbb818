import type { Database } from "@tally/database";
import { BatchIds, Moves, type Domain, type Event } from "@tally/pipeline";
import { encodeMoves, type Rankings } from "@tally/rankings";

interface Sources {
  readonly database: Database;
  readonly rankings: Rankings;
  readonly shards: number;
}

/** Takes the place of the gateway's intakes: an event is a transaction of its own and then a script in Redis, and then the answer. */
export function openIntakes(domains: readonly Domain[], sources: Sources) {
  return domains.map((domain) => {
    const ids = new BatchIds();
    return {
      domain,
      commit: { waiting: 0, add: (text: string) => store(domain, ids, text, sources) },
      close: () => Promise.resolve(),
    };
  });
}

async function store(domain: Domain, ids: BatchIds, text: string, { database, rankings, shards }: Sources) {
  const event: Event = JSON.parse(text);
  const batch = ids.next();
  try {
    const changes = await database.transaction((transaction) => domain.store.write(transaction, [{ event, batch }]));
    const moves = new Moves();
    domain.rank(changes, moves);
    await rankings.apply(domain.name, { batch, storedAt: Date.now(), shards: encodeMoves(moves, shards) });
    return "confirmed";
  } catch {
    return "unavailable"; // and its client hears 503
  }
}
