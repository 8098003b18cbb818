import type { Lesson } from "./lesson.ts";

export const lessonOfS4: Lesson = {
  title: "S4, purchases: persistent or in memory, with and without a load balancer",
  question: "What does a persistent queue cost, and when does a load balancer help?",
  experiment:
    "Each store is one connection that sends 300 purchases an hour for nine simulated hours, without pause. A quarter of the stores opens first, a quarter at the fourth hour, half at the sixth. The first server (A1) stored nothing, the second (A2) wrote to its database before it responded, the third (A3) had a queue, in memory or on disk, and the last (A4) a sharded broker and another database.",
  comparison:
    "The queue in memory stands beside our transient queue, the persistent queue beside ours without confirms, as in the source; A2 stands beside our design without a queue, A1 beside our HTTP server with nothing behind it. The sharded queue of A4, on three nodes of a broker, stands beside our four queues on one node. tally as it is waits for the broker's confirm, which none of the printed rows does. It is the second line of ours.",
  changes: [
    {
      name: "persistent instead of in memory, 256 stores",
      of: "persistent-single-256",
      against: "transient-single-256",
    },
    {
      name: "persistent instead of in memory, 512 stores",
      of: "persistent-single-512",
      against: "transient-single-512",
    },
    { name: "load balancer, in memory, 256 stores", of: "transient-balancer-256", against: "transient-single-256" },
    { name: "load balancer, in memory, 512 stores", of: "transient-balancer-512", against: "transient-single-512" },
    { name: "load balancer, persistent, 256 stores", of: "persistent-balancer-256", against: "persistent-single-256" },
    { name: "load balancer, persistent, 512 stores", of: "persistent-balancer-512", against: "persistent-single-512" },
    { name: "queue in memory instead of no queue, 256 stores", of: "transient-single-256", against: "a2-single-256" },
    { name: "load balancer without a queue, 32 stores", of: "a2-balancer-32", against: "a2-single-32" },
    { name: "load balancer without a queue, 256 stores", of: "a2-balancer-256", against: "a2-single-256" },
    { name: "512 stores instead of 256, in memory", of: "transient-single-512", against: "transient-single-256" },
  ],
  sections: [
    {
      heading: "Persistent is not yet durable",
      paragraphs: [
        "A persistent queue has 0.65 and 0.62 of the rate of the queue in memory. That is what the broker's writes to disk cost when each purchase is one message. But the server responded before the broker had written anything: it did not wait for a confirm. When the broker dies, the last messages are lost in both cases, and the clients hold a 2xx for them. So the source has the cost of the writes to disk, and its 2xx does not promise durability.",
        "tally waits for the confirm. It sends many purchases in one message, so one confirm and one write serve all of them. The cost of durability is a cost per batch. Our short runs with a persistent queue have 0.89 and 0.95 of the rate in memory, those with confirms 0.86 and 0.96. Each is a single run. Several runs in turns, in `docs/performance.md`, gave 0.97 with confirms.",
      ],
    },
    {
      heading: "A balancer helps when the server is the bottleneck",
      paragraphs: [
        "With a queue, the load balancer changes nothing: 0.98 of the rate. The broker is the limit, and all servers share it. Without a queue, four servers handle 1.6 times as much as one with 256 stores: there the single server, with its connections to the database, was the limit. With 32 stores they are slower than one, because 32 requests at a time keep no server busy, and the balancer adds a hop.",
        "Our rows with a balancer are slower than those without it: all our gateways, the balancer, the servers and the client share two cores, so more processes add work and no hardware.",
        "So a balancer is not an improvement in itself. Find the part that is busy, add a second one of that part, and measure again.",
      ],
    },
    {
      heading: "Several queues",
      paragraphs: [
        "The sharded queue of A4 brings 1.21 and 1.11 of the rate of one queue in memory, on three nodes and with another database: two changes at once, so neither factor is that of the queues. We ran four queues instead of one on one node, in turns, with the same confirms: 0.88 of the rate (`docs/measurements/sweeps-and-designs.md`). More queues help when one queue is the limit. Here the two cores are.",
      ],
    },
    {
      heading: "What a closed loop hides",
      paragraphs: [
        "Each store waits for its response before it sends again. If the system stands still for a second, 256 stores have one slow request each: 256 of 691,200, or 0.04 %. The p99 does not see them. Real customers do not wait for each other: in that second thousands would arrive, and all of them would be late. Percentiles of a closed loop describe the requests that were sent, not those that should have been.",
        "`pnpm bench --rate 4000` sends at a fixed rate and counts the latency from the moment at which a request was due. Read the maximum too: 899 ms beside a p99 of 299 ms.",
      ],
    },
    {
      heading: "Skewed latencies",
      paragraphs: [
        "In memory the mean is 43 ms and the median 16 ms. Most purchases are quick, a few are very slow, and the mean describes neither. Little's law uses the mean: 4,293 a second multiplied by 43 ms are 185 requests under way. That fits a load that has 64, 128 and then 256 open stores, so the two figures belong to one run.",
      ],
    },
    {
      heading: "An upper limit must be measured with the same client",
      paragraphs: [
        "The stub without storage (A1) reaches 3,456 a second with 256 stores. The server with a queue reaches 4,293. A system cannot be faster than its own empty shell, so the two were measured under different conditions. With 1,024 stores and more the stub becomes slower, and 4,096 time out. That may be the limit of the client and of its connections. The source notes the same for its largest machines: below 10,000 a second the client was the limit.",
      ],
    },
  ],
};
