import type { Database } from "@tally/database";
import {
  batchDecoder,
  BatchIds,
  encodeBatch,
  Moves,
  type Batch,
  type Domain,
  type EncodedEvent,
} from "@tally/pipeline";
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
    const decode = batchDecoder(domain.event);
    return {
      domain,
      commit: {
        waiting: 0,
        add: (event: EncodedEvent) => store(domain, decode(encodeBatch(ids.next(), Date.now(), [event])), sources),
      },
      close: () => Promise.resolve(),
    };
  });
}

async function store(domain: Domain, { id: batch, events }: Batch, { database, rankings, shards }: Sources) {
  try {
    const changes = await database.transaction((transaction) =>
      domain.store.write(
        transaction,
        events.map((event) => ({ event, batch })),
      ),
    );
    const moves = new Moves();
    domain.rank(changes, moves);
    await rankings.apply(domain.name, { batch, storedAt: Date.now(), shards: encodeMoves(moves, shards) });
    return "confirmed";
  } catch {
    return "unavailable"; // and its client hears 503
  }
}
