import { channel } from "node:diagnostics_channel";

/*
 * Channels of node:diagnostics_channel: the apps publish before and after each commit, confirm and acknowledgement of a
 * batch. A public interface for tracers and fault drills, loaded with `node --import`; each thread has its own
 * channels. A publish happens at most once per batch and calls its subscribers synchronously; without a subscriber it
 * is an empty function. Messages are strings that exist already. The publisher has one more channel, see `sent` in
 * packages/broker/src/connect-publisher.ts.
 */

/** Messages: the name of the ingest queue. */
export const gatewayChannels = {
  /** The batch is flushed; the publisher does not have it yet. */
  beforePublish: channel("tally:gateway:before-publish"),
  /** The broker has confirmed the batch; its requests have no response yet. */
  afterConfirm: channel("tally:gateway:after-confirm"),
  /** The requests of a confirmed batch are released; the last responses are written in this turn of the event loop. */
  afterResponse: channel("tally:gateway:after-response"),
};

/** Messages: the name of the domain. */
export const writerChannels = {
  /** All rows and ledger entries of a transaction are written, not committed. */
  beforeCommit: channel("tally:writer:before-commit"),
  /** The transaction is committed; its ranking messages are not published. */
  afterCommit: channel("tally:writer:after-commit"),
  /** The ranking message of a batch is confirmed; its delivery is not acknowledged. */
  beforeAcknowledgement: channel("tally:writer:before-acknowledgement"),
  /** The acknowledgement is handed to the connection, which writes it after this turn of the event loop. */
  afterAcknowledgement: channel("tally:writer:after-acknowledgement"),
};

/** Messages: the name of the domain. */
export const rankerChannels = {
  /** The ranking message is decoded; nothing was sent to Redis. */
  beforeCommit: channel("tally:ranker:before-commit"),
  /** The batch is ranked; its delivery is not acknowledged. */
  beforeAcknowledgement: channel("tally:ranker:before-acknowledgement"),
  /** The acknowledgement is handed to the connection, which writes it after this turn of the event loop. */
  afterAcknowledgement: channel("tally:ranker:after-acknowledgement"),
};
