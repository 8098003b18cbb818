import type { Message, Publisher } from "@tally/broker";
import { BatchIds, encodeBatch, queuesOf, textOfBatchId } from "@tally/contract";
import { openIntake } from "@tally/gateway";
import type { DesignName, Durability } from "./designs.ts";
import { synchronousIntake } from "./synchronous-intake.ts";

type NewIntake = typeof openIntake;

/** The intake of a design's gateway. Below the durability `confirmed` it does not wait for the broker's confirms. */
export function intakeOf(design: DesignName, durability: Durability): NewIntake {
  const intake = intakes[design] ?? openIntake;
  if (durability === "confirmed") return intake;
  return (domain, servers) => intake(domain, { ...servers, publisher: unconfirmed(servers.publisher) });
}

/** Sends one message for each event. */
const oneByOne: NewIntake = (domain, { config, publisher }) => {
  const ids = new BatchIds();
  const queue = queuesOf(config.namespace, domain.name).ingest.name;
  let waiting = 0;
  const drained = Promise.withResolvers<void>();
  return {
    domain,
    commit: {
      get waiting() {
        return waiting;
      },
      add(event, settle) {
        const id = ids.next();
        const body = encodeBatch(id, Date.now(), [event], domain.eventVersion);
        const deadline = performance.now() + config.confirmWithinMs;
        const message = { queue, messageId: textOfBatchId(id), body, deadline };
        waiting++;
        void publisher.publish(message).then((outcome) => {
          settle(outcome === "confirmed" ? outcome : "unavailable");
          if (--waiting === 0) drained.resolve();
          return undefined;
        });
      },
    },
    close: () => (waiting === 0 ? Promise.resolve() : drained.promise),
  };
};

/** Checks an event and stores it nowhere. */
const bare: NewIntake = (domain) => ({
  domain,
  commit: { waiting: 0, add: (_event, settle) => settle("confirmed") },
  close: () => Promise.resolve(),
});

const intakes: { readonly [D in DesignName]?: NewIntake } = {
  "per-message": oneByOne,
  synchronous: synchronousIntake,
  "balanced-synchronous": synchronousIntake,
  bare,
};

/** A message counts as confirmed when it is sent. The broker still confirms it, but the publisher does not wait. */
function unconfirmed(publisher: Publisher): Publisher {
  const publish = publisher.publish.bind(publisher);
  return Object.assign(publisher, {
    async publish(message: Message) {
      void publish(message);
      return "confirmed" as const;
    },
  });
}
