/** The queue of the third subscriber, for the batches of all domains. */
export const thirdQueueOf = (namespace: string): string => `${namespace}.third`;
