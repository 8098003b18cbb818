import { openIntake, Pace, type GatewayParts } from "@tally/gateway";
import { connectPublisher } from "@tally/broker";
import { openUnconfirmedChannel } from "@tally/broker/open-unconfirmed-channel";
import { designOf, durabilityOf, type DesignName, type Durability } from "./designs.ts";
import { connectSpreadingPublisher } from "./several-queues/spreading-publisher.ts";
import { synchronousIntake } from "./synchronous-intake.ts";

/** The parts of its gateway that a design replaces. */
export function gatewayParts(design: DesignName, requested: Durability): Partial<GatewayParts> {
  const durability = durabilityOf(design, requested);
  const connect = designOf(design).queues === "several" ? connectSpreadingPublisher : connectPublisher;
  if (durability === "confirmed")
    return connect === connectPublisher ? replaced[design] : { ...replaced[design], connectPublisher: connect };
  return {
    ...replaced[design],
    connectPublisher: (options) =>
      connect({
        ...options,
        openChannel: (model) => openUnconfirmedChannel(model, { persistent: durability === "persistent" }),
      }),
  };
}

/** The pace counts in batches: with one event in each, it would accept one event per tick of a timer. */
class NoPace extends Pace {
  override waitMs(): number {
    return 0;
  }
}

const unpaced: Partial<GatewayParts> = {
  openIntake: (domain, servers) => openIntake(domain, servers, (options) => new NoPace(options)),
};

// Commits in flight at once share an fsync: 16, 32 and 64 stored equally fast within the noise of a shared machine, 128 slower.
const writeConnections = 32;

const replaced: Readonly<Record<DesignName, Partial<GatewayParts>>> = {
  batched: {},
  balanced: {},
  classic: {},
  "several-queues": {},
  "fan-out": {},
  "primary-reads": {},
  "per-message": unpaced,
  unconfirmed: unpaced,
  synchronous: { openIntake: synchronousIntake({ ranks: true }), writeConnections },
  "balanced-synchronous": { openIntake: synchronousIntake({ ranks: true }), writeConnections },
  "synchronous-unranked": { openIntake: synchronousIntake({ ranks: false }), writeConnections },
  bare: {
    openIntake: (domain) => ({
      domain,
      commit: {
        waiting: 0,
        add: (_event, settle) => settle("confirmed"),
      },
      close: async () => undefined,
    }),
  },
};
